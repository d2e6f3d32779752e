chandler_fuzz(protobuf DEPS meta)
