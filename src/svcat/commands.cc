#include "svcat/commands.h"

namespace chandler::svcat {

std::vector<Command> all_commands() {
  return {marketplace(),
          get_brokers(),
          get_classes(),
          get_plans(),
          get_instances(),
          get_bindings(),
          describe_broker(),
          describe_class(),
          describe_plan(),
          describe_instance(),
          describe_binding(),
          explain_instance(),
          explain_binding(),
          provision(),
          deprovision(),
          bind(),
          unbind(),
          rebind(),
          set_instance(),
          set_class(),
          set_plan(),
          create_class(),
          create_plan(),
          register_broker(),
          deregister_broker(),
          set_broker(),
          sync_broker(),
          touch_instance(),
          doctor(),
          completion(),
          complete(),
          install_plugin(),
          version()};
}

}  // namespace chandler::svcat
