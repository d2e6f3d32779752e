chandler_fuzz(path DEPS apiserver)
chandler_fuzz(audit_policy DEPS apiserver)
chandler_fuzz(access DEPS apiserver)
target_include_directories(access_fuzz PRIVATE "${CMAKE_SOURCE_DIR}/tests")  # a whole server, as the unit tests have it
target_link_libraries(access_fuzz PRIVATE GTest::gtest)
