package io.leasehold.gallery;

/** What a broken lock does to its users. */
enum Harm {
  TWO_HOLDERS("two clients have the lock at once"),
  LOCKED_FOR_EVER("the lock is never free again"),
  NOT_RELEASED("the lock was let go and stays locked"),
  LOST_UPDATE("a write is lost"),
  DONE_TWICE("it was done twice"),
  ENDLESS("the call does not return"),
  DEADLOCK("the server breaks a deadlock, and the work fails"),
  STANDSTILL("a client waits for a lock that it never asked for"),
  FLOOD("the server is flooded with requests");

  private final String words;

  Harm(String words) {
    this.words = words;
  }

  String words() {
    return words;
  }
}
