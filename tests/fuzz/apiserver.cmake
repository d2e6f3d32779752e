chandler_fuzz(path DEPS apiserver READS apiserver/request_info.cc apiserver/list_options.cc apiserver/negotiation.cc)
chandler_fuzz(audit_policy DEPS apiserver READS apiserver/audit/audit_policy.cc)
chandler_fuzz(access DEPS apiserver READS apiserver/request_info.cc apiserver/list_options.cc auth/policy.cc auth/rule.cc
  apiserver/handlers/get.cc apiserver/handlers/list.cc apiserver/handlers/watch.cc apiserver/handlers/delete.cc
  apiserver/handlers/delete_collection.cc)
target_include_directories(access_fuzz PRIVATE "${CMAKE_SOURCE_DIR}/tests")  # a whole server, as the unit tests have it
target_link_libraries(access_fuzz PRIVATE GTest::gtest)
