------------------------------ MODULE Quorum -------------------------------
(***************************************************************************)
(* A token that rises over a quorum: a majority of independent stores       *)
(* grants, each with its counter.                                           *)
(*                                                                         *)
(* A ticket asks for a number. A member grants max(counter + 1, what is      *)
(* asked for); if it has granted the lease before, it raises its number to   *)
(* what is asked for. If the numbers of a majority differ, all are asked for *)
(* the largest, until a majority has the same: only then the grant counts.   *)
(* Answers may be late, lost or heard twice. There is no time: a lease may   *)
(* end at any member at any moment, and a client never counts on one that    *)
(* has ended (R17, see Lease.tla).                                          *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Member,     \* independent stores, an odd number
  Ticket,     \* acquisitions, each of another client
  Proposals,  \* the largest number that a ticket asks for at first: its time
  Broken      \* the rule that this variant breaks; "nothing" in Leasehold

ASSUME Broken \in {
  "nothing", "largest is not written back", "member forgets", "ended lease counts",
  "minority is enough", "member takes the number as it is",
  "counts where the number was larger"}

None == "none"

VARIABLES
  store,   \* of each member: who holds, with which number, the counter, and the ids that it grants no more
  heard,   \* answers on their way or received, of leases that stand: which member granted which number
  at,      \* where each ticket is, and what it asks for, or its token
  last     \* the token of the last grant that counted

vars == <<store, heard, at, last>>

Init ==
  /\ store = [m \in Member |-> [holder |-> None, number |-> 0, counter |-> 0, ended |-> {}]]
  /\ heard = {}
  /\ at = [t \in Ticket |-> [is |-> "new", number |-> 0]]
  /\ last = 0

Max(a, b) == IF a > b THEN a ELSE b

IsMajority(set) ==
  IF Broken = "minority is enough" THEN set # {} ELSE 2 * Cardinality(set) > Cardinality(Member)

Said(t, m, n) == [ticket |-> t, member |-> m, number |-> n]

-----------------------------------------------------------------------------
(* A member *)

Asks(t) == at[t].is = "asking"

\* By itself, before it is asked again: to the first of its queue.
GrantUnasked(t, m) ==
  /\ Asks(t)
  /\ store[m].holder = None /\ t \notin store[m].ended
  /\ LET n == store[m].counter + 1
     IN store' = [store EXCEPT ![m].holder = t, ![m].number = n, ![m].counter = n]
  /\ UNCHANGED <<heard, at, last>>

Grant(t, m) ==
  /\ Asks(t)
  /\ store[m].holder = None /\ t \notin store[m].ended
  /\ LET n == IF Broken = "member takes the number as it is" THEN at[t].number
              ELSE Max(store[m].counter + 1, at[t].number)
     IN /\ store' = [store EXCEPT ![m].holder = t, ![m].number = n, ![m].counter = Max(@, n)]
        /\ heard' = heard \cup {Said(t, m, n)}
  /\ UNCHANGED <<at, last>>

\* Only where the lease still stands: what came after it has another number.
Raise(t, m) ==
  /\ Asks(t)
  /\ store[m].holder = t
  /\ LET n == Max(store[m].number, at[t].number)
     IN /\ store' = [store EXCEPT ![m].number = n, ![m].counter = Max(@, n)]
        /\ heard' = heard \cup {Said(t, m, n)}
  /\ UNCHANGED <<at, last>>

OfLease(t, m) == {s \in heard : s.ticket = t /\ s.member = m}

\* Released, withdrawn, expired: it is granted no more, and what was heard of it counts no more.
End(t, m) ==
  /\ store[m].holder = t
  /\ store' = [store EXCEPT ![m].holder = None, ![m].number = 0, ![m].ended = @ \cup {t}]
  /\ heard' = IF Broken = "ended lease counts" THEN heard ELSE heard \ OfLease(t, m)
  /\ UNCHANGED <<at, last>>

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

Numbers(t, m) == {s.number : s \in OfLease(t, m)}

Largest(set) == CHOOSE n \in set : \A k \in set : k <= n

\* A majority has granted, with different numbers: all are asked for the largest.
Choose(t) ==
  /\ Asks(t)
  /\ \E set \in SUBSET Member :
       /\ IsMajority(set)
       /\ \A m \in set : Numbers(t, m) # {}
       /\ LET n == Largest({Largest(Numbers(t, m)) : m \in set})
          IN /\ n > at[t].number
             /\ at' = [at EXCEPT ![t].number = n]
  /\ UNCHANGED <<store, heard, last>>

\* This member has the number, as far as the client can know. One whose number was larger from the
\* beginning does not, even though it is in a majority with that number's.
Has(t, m, n) ==
  \/ n \in Numbers(t, m)
  \/ Broken = "largest is not written back" /\ \E k \in Numbers(t, m) : k <= n
  \/ Broken = "counts where the number was larger" /\ \E k \in Numbers(t, m) : k >= n

Count(t) ==
  /\ Asks(t)
  /\ \E set \in SUBSET Member :
       /\ IsMajority(set)
       /\ \E n \in UNION {Numbers(t, m) : m \in set} :
            /\ \A m \in set : Has(t, m, n)
            /\ at' = [at EXCEPT ![t] = [is |-> "holds", number |-> n]]
            /\ last' = n
  /\ UNCHANGED <<store, heard>>

GiveUp(t) ==
  /\ at[t].is \in {"asking", "holds"}
  /\ at' = [at EXCEPT ![t].is = "over"]
  /\ UNCHANGED <<store, heard, last>>

Next ==
  \/ \E t \in Ticket :
       \/ Ask(t) \/ Choose(t) \/ Count(t) \/ GiveUp(t)
       \/ \E m \in Member : GrantUnasked(t, m) \/ Grant(t, m) \/ Raise(t, m) \/ End(t, m)
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
TokensRise == [][\A t \in Ticket : at[t].is = "asking" /\ at'[t].is = "holds" => at'[t].number > last]_vars

-----------------------------------------------------------------------------
(* What must be reached, for the promises to mean anything: each of these is wrong *)

NeverDiffer == \A s, r \in heard : s.ticket = r.ticket => s.number = r.number
NeverRaised == \A t \in Ticket : \A m \in Member : Cardinality(OfLease(t, m)) <= 1
NeverSecond == Cardinality({t \in Ticket : at[t].is = "holds"}) <= 1
=============================================================================
