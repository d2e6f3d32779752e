chandler_fuzz(kubeconfig DEPS client READS client/kubeconfig.cc client/kubeconfig_reader.cc client/exec_plugin.cc
  client/connection.cc)
