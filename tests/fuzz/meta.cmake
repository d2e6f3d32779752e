chandler_fuzz(selector DEPS meta READS meta/label_selector.cc meta/field_selector.cc)
chandler_fuzz(schema DEPS meta READS meta/schema_compiler.cc meta/structural_rules.cc meta/schema_keywords.cc
  meta/json_schema_keywords.cc meta/schema_merge.cc meta/schema_validate.cc meta/schema_prune.cc meta/schema_default.cc
  meta/type_mismatch.cc)
chandler_fuzz(apply DEPS meta READS meta/apply/fields_text.cc meta/apply/field_set.cc meta/apply/managed_fields.cc
  meta/apply/managed_list.cc meta/apply/server_side_apply.cc meta/apply/merge.cc meta/apply/changes.cc
  meta/apply/compare.cc json/text_scan.cc)
