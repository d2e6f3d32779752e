// Boost.JSON's own code, compiled here once for the whole program.
#include <boost/json/src.hpp>
