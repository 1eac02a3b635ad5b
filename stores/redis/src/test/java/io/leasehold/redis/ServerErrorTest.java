package io.leasehold.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.leasehold.StoreException;
import io.leasehold.StoreException.Failure;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What passes by itself ends no waiter. */
class ServerErrorTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "LOADING Redis is loading the dataset in memory",
        "BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.",
        "READONLY You can't write against a read only replica. script: 0a, on @user_script:1.",
        "MASTERDOWN Link with MASTER is down and replica-serve-stale-data is set to 'no'.",
        "NOREPLICAS Not enough good replicas to write.",
        "MISCONF Valkey is configured to save RDB snapshots, but it's currently unable to",
        "OOM command not allowed when used memory > 'maxmemory'.",
        "TRYAGAIN Multiple keys request during rehashing of slot",
        "ASK 3999 127.0.0.1:6381",
        "CLUSTERDOWN The cluster is down",
        "UNBLOCKED force unblock from blocking operation, instance state changed",
        "ERR max number of clients reached",
        "ERR Error running script (call to f_0a): @user_script:9: Script killed by user with SCRIPT KILL...",
        "ERR Script killed by user with SCRIPT KILL. script: 0a, on @user_script:9.",
        "ERR Error running script (call to f_0a): @user_script:9: -READONLY You can't write"
            + " against a read only replica.",
      })
  void itIsUnavailable(String message) {
    StoreException told = new ServerError(message).asException("Redis at h:1", "n");
    assertThat(told.failure()).isEqualTo(Failure.UNAVAILABLE);
    assertThat(told).hasMessageContaining("Redis at h:1").hasMessageContaining("'n'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "NOAUTH Authentication required.",
        "WRONGPASS invalid username-password pair or user is disabled.",
        "NOPERM User app has no permissions to run the 'time' command",
        "WRONGTYPE Operation against a key holding the wrong kind of value",
        "MOVED 3999 127.0.0.1:6381",
        "CROSSSLOT Keys in request don't hash to the same slot",
        "ERR unknown command 'EVALSHA', with args beginning with:",
      })
  void whatLastsIsRefused(String message) {
    StoreException told = new ServerError(message).asException("Redis at h:1", null);
    assertThat(told.failure()).isEqualTo(Failure.REFUSED);
  }

  /** As Redis 7.0, 8.0 and Valkey 9 say it. */
  @ParameterizedTest
  @CsvSource(
      delimiter = ';',
      quoteCharacter = '"',
      value = {
        "NOPERM User app has no permissions to run the 'config|get' command; to run 'config|get'",
        "ERR ACL failure in script: User app has no permissions to run the 'time' command"
            + " script: on @user_script:17.; to run 'time'",
        "ERR The user executing the script can't run this command or subcommand script: 0a,"
            + " on @user_script:3.; ACL LOG",
        "NOPERM No permissions to access a key; the keys",
        "NOPERM No permissions to access a channel; the channels",
        "NOPERM; lacks a permission",
      })
  void aMissingPermissionIsNamed(String message, String named) {
    StoreException told = new ServerError(message).asException("Redis at h:1", null);
    assertThat(told.failure()).isEqualTo(Failure.REFUSED);
    assertThat(told).hasMessageContaining(named).hasMessageContaining("docs/stores/redis.md");
  }
}
