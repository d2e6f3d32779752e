chandler_fuzz(kubeconfig DEPS client)
