chandler_fuzz(path DEPS apiserver)
