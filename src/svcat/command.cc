#include "svcat/command.h"

namespace chandler::svcat {

const std::vector<Flag>& global_flags() {
  static const std::vector<Flag> flags = {
      {"kubeconfig", 0, "FILE", "File that says where the server is and who you are", "", false, Offer::kFiles},
      {"context", 0, "NAME", "Context of the kubeconfig to use"},
      {"user", 0, "NAME", "User of the kubeconfig to use"},
      {"help", 'h', "", "Explain the command"},
      {"v", 'v', "LEVEL", "Accepted for compatibility; nothing more is logged"},
      {"logtostderr", 0, "", "Accepted for compatibility"},
  };
  return flags;
}

Flag namespace_flag() {
  return {"namespace",       'n', "NAME", "Namespace to work in; that of the context when left out", "", false,
          Offer::kNamespaces};
}
Flag all_namespaces_flag() { return {"all-namespaces", 'A', "", "Look in all namespaces"}; }
Flag cluster_flag() { return {"cluster", 0, "", "What belongs to the whole cluster"}; }
Flag scope_flag() {
  return {"scope", 0, "SCOPE", "cluster, namespace or all", "", false, Offer::kWords, {"cluster", "namespace", "all"}};
}
Flag output_flag() {
  return {"output",      'o',
          "FORMAT",      "table, wide, json, yaml, name, jsonpath=TEMPLATE or custom-columns=TITLE:.path,...",
          "table",       false,
          Offer::kWords, {"table", "wide", "json", "yaml", "name", "jsonpath=", "custom-columns="}};
}
Flag watch_flag() { return {"watch", 'w', "", "Keep running and print what changes"}; }
Flag kube_name_flag() {
  return {"kube-name", 'k', "", "The names given are those of the Kubernetes objects, not the external ones"};
}
Flag yes_flag() { return {"yes", 'y', "", "Do not ask"}; }

std::vector<Flag> wait_flags() {
  return {{"wait", 0, "", "Wait until it is done and show how it goes"},
          {"timeout", 0, "DURATION", "How long to wait, such as 30s or 5m; -1 for ever", "5m"},
          {"interval", 0, "DURATION", "How often to look", "1s"}};
}

std::vector<Flag> parameter_flags() {
  return {{"param", 'p', "NAME=VALUE", "A parameter; given twice, the values become a list", "", true},
          {"params-json", 0, "JSON", "All parameters as one JSON object, or @FILE with JSON or YAML"},
          {"secret", 's', "SECRET[KEY]", "Take parameters from a key of a secret", "", true}};
}

std::vector<Flag> default_flags() {
  return {
      {"type", 0, "TYPE", "Type of service, such as mysql", "", false, Offer::kTypes},
      {"provision-params", 0, "JSON", "Default parameters of instances: a JSON object, or @FILE; {} removes them"},
      {"bind-params", 0, "JSON", "Default parameters of bindings: a JSON object, or @FILE; {} removes them"},
      {"secret-transform", 0, "TRANSFORM",
       "Default change of credentials: FROM=TO renames a key, or a JSON list, or @FILE; [] removes them", "", true}};
}

std::vector<Flag> offer_list_flags() {
  return {output_flag(),         cluster_flag(),   scope_flag(), namespace_flag(),
          all_namespaces_flag(), kube_name_flag(), watch_flag()};
}

std::vector<Flag> flags_of(std::vector<std::vector<Flag>> groups) {
  std::vector<Flag> all;
  for (auto& group : groups) all.insert(all.end(), group.begin(), group.end());
  return all;
}

}  // namespace chandler::svcat
