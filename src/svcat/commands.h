// The list of all commands. Each is made in the file of its verb, in the folder of its noun.
#pragma once

#include <vector>

#include "svcat/command.h"

namespace chandler::svcat {

std::vector<Command> all_commands();

// brokers/
Command get_brokers();
Command describe_broker();
Command register_broker();
Command deregister_broker();
Command sync_broker();
Command set_broker();
// classes/
Command get_classes();
Command describe_class();
Command set_class();
Command create_class();
// plans/
Command get_plans();
Command describe_plan();
Command set_plan();
Command create_plan();
Command marketplace();
// instances/
Command get_instances();
Command describe_instance();
Command provision();
Command deprovision();
Command touch_instance();
Command set_instance();
Command explain_instance();
// bindings/
Command get_bindings();
Command describe_binding();
Command bind();
Command unbind();
Command rebind();
Command explain_binding();
// usages/
Command get_usages();
Command describe_usage();
Command use();
Command unuse();
// usagekinds/
Command get_usage_kinds();
Command describe_usage_kind();
Command test_usage_kind();
// claims/
Command get_claims();
Command describe_claim();
Command explain_claim();
// resourceclasses/
Command get_resource_classes();
Command describe_resource_class();
Command set_resource_class();
// storageclasses/
Command get_storage_classes();
Command describe_storage_class();
// volumes/
Command explain_volume_claim();
Command provision_volume();
// program/
Command doctor();
Command completion();
Command complete();  // what the completion scripts call
Command version();
Command install_plugin();

}  // namespace chandler::svcat
