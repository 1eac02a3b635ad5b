------------------------------- MODULE Claim -------------------------------
(***************************************************************************)
(* The claim of the idempotency toolkit: calls with one key at one store,  *)
(* over a network that loses, delays, repeats and reorders requests.       *)
(*                                                                         *)
(* As in Lease.tla time is what is left of a claim, and a pause is nothing *)
(* special: no call has to act before the next tick.                       *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Call,    \* calls with the key, each of a process of its own
  Life,    \* of a claim
  Grants,  \* how many claims are explored
  Policy,  \* of an unknown outcome: "fail", "retry" or "reconcile"
  Broken   \* the rule that this variant breaks; "nothing" in Leasehold

ASSUME Policy \in {"fail", "retry", "reconcile"}
ASSUME Broken \in {
  "nothing", "claim is not compared", "takes over unasked", "completes by key", "repeat forgets the take-over",
  "gives back what is unknown", "result dies with the claim", "ignores that it was taken over"}

None == "none"

VARIABLES
  row,     \* the store: the claim and what came of it
  number,  \* the store: the last token
  wire,    \* requests on their way
  at,      \* where each call is, its token, and what it returns
  runs     \* the calls whose work had its effect

vars == <<row, number, wire, at, runs>>

Free == [owner |-> None, token |-> 0, taken |-> FALSE, done |-> FALSE, value |-> None, left |-> 0]

Init ==
  /\ row = Free
  /\ number = 0
  /\ wire = {}
  /\ at = [c \in Call |-> [is |-> "new", token |-> 0, value |-> None]]
  /\ runs = {}

Move(c, where) == at' = [at EXCEPT ![c].is = where]

Request(op, c) == [op |-> op, owner |-> c, token |-> at[c].token]

-----------------------------------------------------------------------------
(* A call *)

Ask(c) ==
  /\ at[c].is = "new"
  /\ Move(c, "asking")
  /\ wire' = wire \cup {Request("claim", c)}
  /\ UNCHANGED <<row, number, runs>>

\* The answer was lost, or is late: the same request once more.
AskAgain(c) ==
  /\ at[c].is = "asking" /\ Request("claim", c) \notin wire
  /\ wire' = wire \cup {Request("claim", c)}
  /\ UNCHANGED <<row, number, at, runs>>

\* There was no answer twice. The claim may be its own, and its work has not begun.
GiveUp(c) ==
  /\ at[c].is = "asking"
  /\ Move(c, "gaveUp")
  /\ wire' = wire \cup {Request("release", c)}
  /\ UNCHANGED <<row, number, runs>>

Work(c) ==
  /\ at[c].is = "working"
  /\ at' = [at EXCEPT ![c].is = "ran", ![c].value = c]
  /\ runs' = runs \cup {c}
  /\ UNCHANGED <<row, number, wire>>

\* Who reconciles sees what was done. That something will not be done it knows only of the dead.
Reconcile(c) ==
  /\ at[c].is = "reconciling"
  /\ IF runs # {} THEN at' = [at EXCEPT ![c].is = "ran", ![c].value = CHOOSE d \in runs : TRUE]
     ELSE IF \E d \in Call \ {c} : at[d].is = "working" THEN Move(c, "unknown")
     ELSE Move(c, "working")
  /\ UNCHANGED <<row, number, wire, runs>>

Extend(c) ==
  /\ at[c].is \in {"working", "ran", "completing", "reconciling"}
  /\ row.owner = c /\ row.token = at[c].token /\ ~row.done /\ row.left > 0 /\ row.left < Life
  /\ row' = [row EXCEPT !.left = Life]
  /\ UNCHANGED <<number, wire, at, runs>>

Complete(c) ==
  /\ \/ at[c].is = "ran"
     \/ at[c].is = "completing" /\ Request("complete", c) \notin wire
  /\ Move(c, "completing")
  /\ wire' = wire \cup {Request("complete", c)}
  /\ UNCHANGED <<row, number, runs>>

Crash(c) ==
  /\ at[c].is \in {"asking", "working", "ran", "completing", "reconciling"}
  /\ Move(c, "crashed")
  /\ UNCHANGED <<row, number, wire, runs>>

-----------------------------------------------------------------------------
(* The store, and what the call hears of it if it hears anything *)

\* The request is answered and gone; or its answer is lost, or it is repeated by the network.
Leaves(m) == wire' \in {wire, wire \ {m}}

IsLive == row.owner # None /\ ~row.done /\ row.left > 0
MayTakeOver == Policy # "fail" \/ Broken = "takes over unasked"
HasResult == row.done /\ ~(Broken = "result dies with the claim" /\ row.left = 0)

Claimed(c, taken, heard) ==
  /\ number < Grants
  /\ number' = number + 1
  /\ row' = [Free EXCEPT !.owner = c, !.token = number + 1, !.taken = taken, !.left = Life]
  /\ at' = IF heard
           THEN [at EXCEPT ![c].token = number + 1,
                           ![c].is = IF taken /\ Policy = "reconcile" THEN "reconciling" ELSE "working"]
           ELSE at

ArriveClaim(m, heard) ==
  LET c == m.owner IN
  /\ m.op = "claim" /\ m \in wire /\ Leaves(m)
  /\ heard => at[c].is = "asking"
  /\ UNCHANGED runs
  /\ CASE row.owner = None \/ (row.done /\ ~HasResult) -> Claimed(c, FALSE, heard)
       [] HasResult ->
            /\ UNCHANGED <<row, number>>
            /\ at' = IF heard THEN [at EXCEPT ![c].is = "over", ![c].value = row.value] ELSE at
       [] IsLive /\ row.owner = c ->
            /\ UNCHANGED <<row, number>>
            /\ LET taken == row.taken /\ Broken # "repeat forgets the take-over"
               IN at' = IF heard
                        THEN [at EXCEPT ![c].token = row.token,
                                        ![c].is = IF taken /\ Policy = "reconcile" THEN "reconciling" ELSE "working"]
                        ELSE at
       [] IsLive /\ row.owner # c ->
            IF Broken = "claim is not compared" THEN Claimed(c, FALSE, heard)
            ELSE /\ UNCHANGED <<row, number>>
                 /\ at' = IF heard THEN [at EXCEPT ![c].is = "new"] ELSE at
       [] OTHER ->
            IF row.owner = c THEN Claimed(c, row.taken, heard)
            ELSE IF MayTakeOver THEN Claimed(c, Broken # "ignores that it was taken over", heard)
            ELSE /\ UNCHANGED <<row, number>>
                 /\ at' = IF heard THEN [at EXCEPT ![c].is = "unknown"] ELSE at

ArriveRelease(m) ==
  /\ m.op = "release" /\ m \in wire /\ Leaves(m)
  /\ row' = IF row.owner = m.owner /\ ~row.done /\ (~row.taken \/ Broken = "gives back what is unknown")
            THEN Free ELSE row
  /\ UNCHANGED <<number, at, runs>>

IsOf(m) == row.owner = m.owner /\ row.token = m.token

ArriveComplete(m, heard) ==
  LET c == m.owner
      accepts == ~row.done /\ (IsOf(m) \/ (Broken = "completes by key" /\ row.owner # None))
      overwrites == row.done /\ Broken = "completes by key" /\ ~IsOf(m)
  IN
  /\ m.op = "complete" /\ m \in wire /\ Leaves(m)
  /\ heard => at[c].is = "completing"
  /\ row' = IF accepts \/ overwrites
            THEN [row EXCEPT !.done = TRUE, !.value = at[c].value,
                             !.left = IF Broken = "result dies with the claim" THEN @ ELSE 0]
            ELSE row
  /\ at' = IF heard
           THEN [at EXCEPT ![c].is = IF accepts \/ overwrites \/ (IsOf(m) /\ row.done) THEN "over" ELSE "stale"]
           ELSE at
  /\ UNCHANGED <<number, runs>>

Tick ==
  /\ row.left > 0
  /\ row' = [row EXCEPT !.left = @ - 1]
  /\ UNCHANGED <<number, wire, at, runs>>

Next ==
  \/ \E c \in Call :
       \/ Ask(c) \/ AskAgain(c) \/ GiveUp(c) \/ Work(c) \/ Reconcile(c) \/ Extend(c) \/ Complete(c) \/ Crash(c)
  \/ \E m \in wire : ArriveRelease(m) \/ (\E heard \in BOOLEAN : ArriveClaim(m, heard) \/ ArriveComplete(m, heard))
  \/ Tick

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Call)

-----------------------------------------------------------------------------
(* What is promised *)

\* The work has its effect once, but where it is retried without looking.
OneRun == Policy # "retry" => Cardinality(runs) <= 1

\* All calls that return a value return the same.
OneAnswer == \A c, d \in Call : at[c].is = "over" /\ at[d].is = "over" => at[c].value = at[d].value

\* What is returned was done.
NothingInvented == \A c \in Call : at[c].is = "over" => at[c].value \in runs

\* A stored result is not changed, by a stale owner or anybody.
ResultStays == [][HasResult => row'.done /\ row'.value = row.value]_vars

\* The token of the claim rises.
TokensRise == [][row'.owner # None /\ row.owner # None => row'.token >= row.token]_vars

-----------------------------------------------------------------------------
(* What must be reached, for the promises to mean anything: each of these is wrong *)

NeverStale == \A c \in Call : at[c].is # "stale"
NeverUnknown == \A c \in Call : at[c].is # "unknown"
NeverTakenOver == ~row.taken
NeverReplayed == \A c \in Call : at[c].is = "over" => at[c].value = c
NeverTwice == Cardinality(runs) <= 1
=============================================================================
