#include "brokers/redis/redis_commands.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/text.h"

namespace chandler::brokers {
namespace {

// Each names its keys, which the server checks against the prefix of the user, or touches nothing but its connection.
constexpr std::string_view kAllowed =
    // strings, bitmaps, counters of distinct elements
    "append bitcount bitfield bitfield_ro bitop bitpos decr decrby get getbit getdel getex getrange getset incr incrby "
    "incrbyfloat mget mset msetnx pfadd pfcount pfmerge psetex set setbit setex setnx setrange strlen substr "
    // keys
    "copy del dump exists expire expireat expiretime object persist pexpire pexpireat pexpiretime pttl rename renamenx "
    "touch ttl type unlink memory|usage "
    // hashes
    "hdel hexists hget hgetall hincrby hincrbyfloat hkeys hlen hmget hmset hrandfield hscan hset hsetnx hstrlen hvals "
    // lists
    "blmove blmpop blpop brpop brpoplpush lindex linsert llen lmove lmpop lpop lpos lpush lpushx lrange lrem lset "
    "ltrim "
    "rpop rpoplpush rpush rpushx "
    // sets
    "sadd scard sdiff sdiffstore sinter sintercard sinterstore sismember smembers smismember smove spop srandmember "
    "srem "
    "sscan sunion sunionstore "
    // sorted sets, places on the earth
    "bzmpop bzpopmax bzpopmin geoadd geodist geohash geopos georadius georadius_ro georadiusbymember "
    "georadiusbymember_ro "
    "geosearch geosearchstore zadd zcard zcount zdiff zdiffstore zincrby zinter zintercard zinterstore zlexcount zmpop "
    "zmscore zpopmax zpopmin zrandmember zrange zrangebylex zrangebyscore zrangestore zrank zrem zremrangebylex "
    "zremrangebyrank zremrangebyscore zrevrange zrevrangebylex zrevrangebyscore zrevrank zscan zscore zunion "
    "zunionstore "
    // streams
    "xack xadd xautoclaim xclaim xdel xgroup xinfo xlen xpending xrange xread xreadgroup xrevrange xsetid xtrim "
    // channels, whose names the server checks as well
    "psubscribe publish punsubscribe spublish ssubscribe subscribe sunsubscribe unsubscribe pubsub|help pubsub|numsub "
    "pubsub|shardnumsub "
    // transactions
    "discard exec multi unwatch watch "
    // the connection
    "acl|whoami asking auth client|getname client|getredir client|help client|id client|info client|reply "
    "client|setname "
    "client|trackinginfo command echo hello ping quit readonly readwrite reset time";

struct Refused {
  std::string_view reason;
  std::string_view commands;
};

constexpr Refused kRefused[] = {
    {"code of a tenant runs while all others wait, and ending it can lose data",
     "eval eval_ro evalsha evalsha_ro fcall fcall_ro function script"},
    {"shows keys of others", "dbsize keys randomkey scan sort sort_ro"},
    {"acts on keys of others", "flushall flushdb swapdb"},
    {"leads to other databases", "move select"},
    {"shows what others do",
     "client|list info latency memory|doctor memory|help memory|malloc-stats memory|stats monitor pubsub|channels "
     "pubsub|numpat pubsub|shardchannels slowlog"},
    {"acts on connections of others",
     "client|caching client|kill client|no-evict client|pause client|tracking client|unblock client|unpause"},
    {"takes time and memory by the product of two values", "lcs"},
    {"waits for copies of the server, of which there are none", "wait"},
    {"decodes bytes that the tenant made up", "restore restore-asking"},
    {"is the operator's",
     "acl bgrewriteaof bgsave cluster config debug failover lastsave lolwut memory|purge migrate module pfdebug "
     "pfselftest psync replconf replicaof role save shutdown slaveof sync"},
};

std::map<std::string_view, CommandVerdict> make_verdicts() {
  std::map<std::string_view, CommandVerdict> verdicts;
  for (const auto name : split(kAllowed, ' ')) verdicts[name] = {true, {}};
  for (const auto& row : kRefused) {
    for (const auto name : split(row.commands, ' ')) verdicts[name] = {false, row.reason};
  }
  return verdicts;
}

bool is_allowed_in_part(std::string_view name) {
  for (const auto allowed : split(kAllowed, ' ')) {
    if (allowed.size() > name.size() && allowed[name.size()] == '|' && allowed.starts_with(name)) return true;
  }
  return false;
}

}  // namespace

std::optional<CommandVerdict> shared_command(std::string_view name) {
  static const auto verdicts = make_verdicts();
  if (is_allowed_in_part(name)) return CommandVerdict{true, {}};
  if (const auto found = verdicts.find(name); found != verdicts.end()) return found->second;
  if (const auto parent = verdicts.find(name.substr(0, name.find('|'))); parent != verdicts.end())
    return parent->second;
  return std::nullopt;
}

const std::vector<std::string>& shared_command_rules() {
  static const auto rules = [] {
    std::vector<std::string> made = {"-@all"};
    for (const auto name : split(kAllowed, ' ')) made.push_back(fmt::format("+{}", name));
    return made;
  }();
  return rules;
}

bool has_former_rules(std::string_view acl_line) {
  const auto words = split(acl_line, ' ');
  if (words.size() < 3 || words[0] != "user" || words[1].size() != 25 || words[1][0] != 'u') return false;
  const bool has_all = std::find(words.begin(), words.end(), "+@all") != words.end();
  return has_all && std::any_of(words.begin(), words.end(),
                                [](std::string_view word) { return word.starts_with("~p") && word.ends_with(":*"); });
}

std::string with_present_rules(std::string_view acl_file) {
  const auto& rules = shared_command_rules();
  std::vector<std::string> lines;
  for (const auto line : split(acl_file, '\n')) {
    if (!has_former_rules(line)) {
      lines.emplace_back(line);
      continue;
    }
    std::vector<std::string> words;
    bool is_reader = false;
    for (const auto word : split(line, ' ')) {
      if (word == "-@write") is_reader = true;
      if (!word.starts_with('+') && !word.starts_with('-')) words.emplace_back(word);
    }
    words.insert(words.end(), rules.begin(), rules.end());
    if (is_reader) words.emplace_back("-@write");
    lines.push_back(join(words, " "));
  }
  return join(lines, "\n");
}

}  // namespace chandler::brokers
