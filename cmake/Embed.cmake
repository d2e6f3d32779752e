# chandler_embed(TARGET FOLDER FUNCTION): makes the data files below FOLDER part of TARGET; base/embedded.h declares FUNCTION.
function(chandler_embed target folder function)
  file(GLOB_RECURSE files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/${folder}/*.yaml" "${CMAKE_SOURCE_DIR}/${folder}/*.txt")
  set(out "${CMAKE_BINARY_DIR}/embedded/${folder}")
  file(MAKE_DIRECTORY "${CMAKE_BINARY_DIR}/embedded")
  add_custom_command(
    OUTPUT "${out}.cc" "${out}.bin"
    COMMAND python3 "${CMAKE_SOURCE_DIR}/tools/embed.py" "${CMAKE_SOURCE_DIR}/${folder}" "${out}.cc" "${out}.bin" "${function}"
    DEPENDS ${files} "${CMAKE_SOURCE_DIR}/tools/embed.py"
    COMMENT "Embedding ${folder}/")
  # The compiler's cache does not see the included bytes; name them as a dependency of the object.
  set_source_files_properties("${out}.cc" PROPERTIES OBJECT_DEPENDS "${out}.bin")
  target_sources(${target} PRIVATE "${out}.cc")
endfunction()
