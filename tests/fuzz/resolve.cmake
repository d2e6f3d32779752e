chandler_fuzz(resolve_merge DEPS resolve READS resolve/merge_parameters.cc resolve/combine_parameters.cc
  resolve/parameter_schema.cc resolve/parameter_bounds.cc)
chandler_fuzz(secret_transform DEPS resolve READS resolve/secret_transform.cc resolve/secret_transform_apply.cc)
chandler_fuzz(restrictions DEPS resolve READS resolve/catalog_restrictions.cc resolve/object_name.cc)
chandler_fuzz(label_path DEPS resolve READS resolve/label_path.cc resolve/label_projection.cc)
chandler_fuzz(volume_selector DEPS resolve READS resolve/volume_selector.cc resolve/selector_options.cc
  resolve/tunable_class.cc)
