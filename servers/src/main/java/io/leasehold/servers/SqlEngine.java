package io.leasehold.servers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** How the servers of one family are initialised and started. */
interface SqlEngine {
  /** Who may do everything, beside the account of the tests. */
  String ADMINISTRATOR = "administrator";

  /** The account of the tests. */
  String USER = "leasehold";

  /** Of both. */
  String PASSWORD = "secret";

  /** A database that is always there; the account of the tests has it and its likes. */
  String DATABASE = "leasehold_test";

  /**
   * Makes a folder of data with the accounts and the database.
   *
   * @param folder for temporary files
   * @param data where to make it; it is not there yet
   */
  void initialise(Path program, Path folder, Path data) throws IOException;

  /**
   * The command that serves.
   *
   * @param folder where the configuration is written
   * @param lines more of the configuration
   */
  List<String> serve(Path program, Path folder, int port, Path data, List<String> lines)
      throws IOException;

  /**
   * The files in its data that say which process has them: a server that was killed leaves them,
   * and would not start again if another process has its id by then.
   */
  List<String> processFiles();

  /**
   * Whether each of its clients has a process, with a session of its own. Linux shares out the
   * processors by session: forty such processes that are busy leave one part in 41 to all tests and
   * the other servers together. So they are kept in the session of the tests, where there is gcc.
   */
  default boolean hasProcessForEachClient() {
    return false;
  }

  /** The signal by which it ends at once and in order. */
  String stopSignal();

  /** Makes a database that a user has all rights in. */
  String createDatabase(String name, String user);

  /** Drops a database in which a client may still be. */
  String dropDatabase(String name);
}
