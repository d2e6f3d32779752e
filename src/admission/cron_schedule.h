// The notation of cron, as CronJobs use it: five fields, or @hourly and its like, or @every with a duration. Pure.
#pragma once

#include <string>
#include <string_view>

namespace chandler::admission {

// "" when it can be understood, else what is wrong with it.
std::string check_cron_schedule(std::string_view schedule);

}  // namespace chandler::admission
