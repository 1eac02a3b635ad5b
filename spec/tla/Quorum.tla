------------------------------ MODULE Quorum -------------------------------
(***************************************************************************)
(* A token that rises over a quorum: a majority of independent stores       *)
(* grants, each with its counter.                                           *)
(*                                                                         *)
(* A ticket proposes a number. A member grants max(counter + 1, proposal).  *)
(* If the numbers of a majority differ, the largest is written back to a    *)
(* majority before the grant counts. Answers may be late, lost or heard      *)
(* twice. There is no time: a lease may end at any member at any moment,     *)
(* and a client never counts on one that has ended (R17, see Lease.tla).    *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Member,     \* independent stores, an odd number
  Ticket,     \* acquisitions, each of another client
  Proposals,  \* the largest number that a ticket proposes: its time, or what it has seen
  Broken      \* the rule that this variant breaks; "nothing" in Leasehold

ASSUME Broken \in {
  "nothing", "largest is not written back", "member forgets", "ended lease counts",
  "minority is enough", "member takes the proposal as it is",
  "counts where the number was larger"}

None == "none"

VARIABLES
  store,   \* of each member: who holds, the counter, and the ids that it grants no more
  heard,   \* answers on their way or received: which member granted or raised to which number
  at,      \* where each ticket is, its proposal, and its token
  last     \* the token of the last grant that counted

vars == <<store, heard, at, last>>

Init ==
  /\ store = [m \in Member |-> [holder |-> None, counter |-> 0, ended |-> {}]]
  /\ heard = {}
  /\ at = [t \in Ticket |-> [is |-> "new", number |-> 0]]
  /\ last = 0

Max(a, b) == IF a > b THEN a ELSE b

IsMajority(set) ==
  IF Broken = "minority is enough" THEN set # {} ELSE 2 * Cardinality(set) > Cardinality(Member)

Said(op, t, m, n) == [op |-> op, ticket |-> t, member |-> m, number |-> n]

-----------------------------------------------------------------------------
(* A member *)

Grant(t, m) ==
  /\ at[t].is = "asking"
  /\ store[m].holder = None /\ t \notin store[m].ended
  /\ LET n == IF Broken = "member takes the proposal as it is" THEN at[t].number
              ELSE Max(store[m].counter + 1, at[t].number)
     IN /\ store' = [store EXCEPT ![m].holder = t, ![m].counter = n]
        /\ heard' = heard \cup {Said("granted", t, m, n)}
  /\ UNCHANGED <<at, last>>

\* Only where the lease still stands: what came after it has another number.
Raise(t, m) ==
  /\ at[t].is = "raising"
  /\ store[m].holder = t
  /\ store' = [store EXCEPT ![m].counter = Max(@, at[t].number)]
  /\ heard' = heard \cup {Said("raised", t, m, at[t].number)}
  /\ UNCHANGED <<at, last>>

\* Released, withdrawn, expired.
End(t, m) ==
  /\ store[m].holder = t
  /\ store' = [store EXCEPT ![m].holder = None, ![m].ended = @ \cup {t}]
  /\ UNCHANGED <<heard, at, last>>

Forget(m) ==
  /\ Broken = "member forgets"
  /\ store[m].holder = None
  /\ store' = [store EXCEPT ![m].counter = 0]
  /\ UNCHANGED <<heard, at, last>>

-----------------------------------------------------------------------------
(* A client *)

Ask(t) ==
  /\ at[t].is = "new"
  /\ \E n \in 1 .. Proposals : at' = [at EXCEPT ![t] = [is |-> "asking", number |-> n]]
  /\ UNCHANGED <<store, heard, last>>

\* The lease stands at this member, as far as the client can be certain.
Stands(t, m) == store[m].holder = t \/ Broken = "ended lease counts"

Granted(t, m) == \E s \in heard : s.op = "granted" /\ s.ticket = t /\ s.member = m

NumberOf(t, m) == (CHOOSE s \in heard : s.op = "granted" /\ s.ticket = t /\ s.member = m).number

Raised(t, m) == Said("raised", t, m, at[t].number) \in heard \/ NumberOf(t, m) = at[t].number

\* A majority has answered: the largest of its numbers is the token, to be written back where it is not.
Choose(t) ==
  /\ at[t].is = "asking"
  /\ \E set \in SUBSET Member :
       /\ IsMajority(set)
       /\ \A m \in set : Granted(t, m)
       /\ LET largest == CHOOSE n \in {NumberOf(t, m) : m \in set} : \A m \in set : NumberOf(t, m) <= n
          IN at' = [at EXCEPT ![t] = [is |-> "raising", number |-> largest]]
  /\ UNCHANGED <<store, heard, last>>

Count(t) ==
  /\ at[t].is = "raising"
  /\ \E set \in SUBSET Member :
       /\ IsMajority(set)
       /\ \A m \in set :
            /\ Granted(t, m) /\ Stands(t, m)
            \* It may be another majority than the one whose largest number was taken
            /\ NumberOf(t, m) <= at[t].number \/ Broken = "counts where the number was larger"
            /\ Raised(t, m) \/ Broken = "largest is not written back"
  /\ at' = [at EXCEPT ![t].is = "holds"]
  /\ last' = at[t].number
  /\ UNCHANGED <<store, heard>>

GiveUp(t) ==
  /\ at[t].is \in {"asking", "raising", "holds"}
  /\ at' = [at EXCEPT ![t].is = "over"]
  /\ UNCHANGED <<store, heard, last>>

Next ==
  \/ \E t \in Ticket :
       \/ Ask(t) \/ Choose(t) \/ Count(t) \/ GiveUp(t)
       \/ \E m \in Member : Grant(t, m) \/ Raise(t, m) \/ End(t, m)
  \/ \E m \in Member : Forget(m)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Member) \cup Permutations(Ticket)

-----------------------------------------------------------------------------
(* What is promised *)

\* A majority keeps the lease of one ticket at most.
Exclusion ==
  \A t, u \in Ticket :
    /\ IsMajority({m \in Member : store[m].holder = t})
    /\ IsMajority({m \in Member : store[m].holder = u})
    => t = u

\* In the order in which grants count their tokens strictly rise.
TokensRise == [][\A t \in Ticket : at[t].is = "raising" /\ at'[t].is = "holds" => at'[t].number > last]_vars

-----------------------------------------------------------------------------
(* What must be reached, for the promises to mean anything: each of these is wrong *)

NeverDiffer == \A s, r \in heard : s.op = "granted" /\ r.op = "granted" /\ s.ticket = r.ticket => s.number = r.number
NeverRaised == \A s \in heard : s.op = "granted"
NeverSecond == Cardinality({t \in Ticket : at[t].is = "holds"}) <= 1
=============================================================================
