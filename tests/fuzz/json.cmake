chandler_fuzz(json DEPS json READS json/reader.cc json/duplicate_keys.cc json/writer.cc)
chandler_fuzz(yaml DEPS json READS json/yaml_document.cc json/yaml_reader.cc json/yaml_scalar.cc json/yaml_writer.cc)
chandler_fuzz(patch DEPS json READS json/json_patch.cc json/merge_patch.cc json/strategic_merge_patch.cc
  json/strategic_list.cc)
chandler_fuzz(json_path DEPS json READS json/json_path.cc json/json_path_parser.cc json/json_path_walker.cc
  json/json_path_template.cc)
