package io.leasehold.jdbc;

import io.leasehold.servers.SqlServer.Kind;
import io.leasehold.testkit.FaultProxy.Direction;
import io.leasehold.testkit.Framing;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;

/** Where requests and replies end in what JDBC drivers say to servers, without TLS. */
final class SqlFraming {
  private SqlFraming() {}

  static Framing of(Kind kind) {
    return switch (kind) {
      case POSTGRESQL_15 ->
          direction ->
              direction == Direction.TO_SERVER ? new PostgresRequests() : new PostgresReplies();
      case MYSQL_9, MARIADB_10_11 ->
          direction -> direction == Direction.TO_SERVER ? new MysqlRequests() : new MysqlReplies();
    };
  }

  /** Packets with a header that tells their length. */
  private abstract static class Packets implements Framing.Scanner {
    private final ByteArrayOutputStream packet = new ByteArrayOutputStream();

    /** How long a packet is, or 0 if its header is not complete. */
    abstract int length(byte[] begin);

    abstract boolean isLast(byte[] packet);

    @Override
    public boolean ends(byte next) {
      packet.write(next);
      byte[] bytes = packet.toByteArray();
      if (length(bytes) != bytes.length) {
        return false;
      }
      packet.reset();
      return isLast(bytes);
    }
  }

  /** A type, and a length that includes itself. */
  private abstract static class PostgresPackets extends Packets {
    @Override
    int length(byte[] begin) {
      return begin.length < 5 ? 0 : 1 + ByteBuffer.wrap(begin, 1, 4).getInt();
    }
  }

  private static final class PostgresRequests extends PostgresPackets {
    private boolean started;

    /** The first has no type. */
    @Override
    int length(byte[] begin) {
      return started
          ? super.length(begin)
          : begin.length < 4 ? 0 : ByteBuffer.wrap(begin, 0, 4).getInt();
    }

    @Override
    boolean isLast(byte[] packet) {
      boolean first = !started;
      started = true;
      // Sync, Query, a password.
      return first || packet[0] == 'S' || packet[0] == 'Q' || packet[0] == 'p';
    }
  }

  private static final class PostgresReplies extends PostgresPackets {
    private static final int OK = 0;
    private static final int SASL_FINAL = 12;

    @Override
    boolean isLast(byte[] packet) {
      if (packet[0] == 'R') {
        int what = ByteBuffer.wrap(packet, 5, 4).getInt();
        return what != OK && what != SASL_FINAL;
      }
      return packet[0] == 'Z';
    }
  }

  /** A length, of what follows, and a number. */
  private abstract static class MysqlPackets extends Packets {
    @Override
    int length(byte[] begin) {
      return begin.length < 4
          ? 0
          : 4 + (begin[0] & 255) + ((begin[1] & 255) << 8) + (begin[2] << 16);
    }
  }

  private static final class MysqlRequests extends MysqlPackets {
    private static final int CLOSE_STATEMENT = 0x19;

    /** That is not answered, so it goes with the next. */
    @Override
    boolean isLast(byte[] packet) {
      return packet[3] > 0 || packet.length == 4 || packet[4] != CLOSE_STATEMENT;
    }
  }

  private static final class MysqlReplies extends MysqlPackets {
    private static final int MORE_OF_LOGIN = 1;
    private static final int FAST = 3;
    private static final int END = 0xfe;
    private static final int ERROR = 0xff;

    private static final int PREPARED = 4 + 12;

    private boolean loggedIn;
    private boolean inRows;
    private int ends;

    /** Whether the last packet of some rows is the only one that ends a part of them. */
    private boolean hasOneEnd = true;

    /** How many more packets there are of what was prepared. */
    private int described;

    @Override
    boolean isLast(byte[] packet) {
      int first = packet.length == 4 ? 0 : packet[4] & 255;
      if (!loggedIn) {
        loggedIn = first == 0;
        return first != MORE_OF_LOGIN || packet.length != 6 || packet[5] != FAST;
      }
      if (described > 0) {
        return --described == 0;
      }
      if (!inRows) {
        if (first == 0 && (packet.length == PREPARED || packet.length == PREPARED + 1)) {
          described = descriptions(packet);
          return described == 0;
        }
        inRows = first != 0 && first != ERROR;
        ends = 0;
        return !inRows;
      }
      // Rows end with a packet that tells more than this, or with the second of those that do not.
      hasOneEnd = packet.length > 9;
      ends += first == END && packet.length < 100 ? hasOneEnd ? 2 : 1 : 0;
      inRows = ends < 2 && first != ERROR;
      return !inRows;
    }

    /** One for each column and each parameter, and where that is so an end of each of the two. */
    private int descriptions(byte[] packet) {
      int columns = (packet[9] & 255) + ((packet[10] & 255) << 8);
      int parameters = (packet[11] & 255) + ((packet[12] & 255) << 8);
      int ending = hasOneEnd ? 0 : Integer.signum(columns) + Integer.signum(parameters);
      return columns + parameters + ending;
    }
  }
}
