chandler_fuzz(protobuf DEPS meta READS meta/protobuf/decoder.cc meta/protobuf/message_decoder.cc
  meta/protobuf/scalars.cc meta/protobuf/wire_reader.cc)
