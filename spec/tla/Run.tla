-------------------------------- MODULE Run --------------------------------
(***************************************************************************)
(* Fair tickets in the queue of a store, and the run along which a lease is  *)
(* handed to the neighbours of one process without a request (R20).          *)
(*                                                                         *)
(* The store grants to the first of its queue, and its answer names the run:  *)
(* the tickets of the same process that stand directly behind. The process    *)
(* serves them in that order, and skips those that gave up. Their places stay *)
(* in the queue until the release, which names those that were served and     *)
(* takes their places with it. If the lease is lost instead, the process       *)
(* withdraws what it served, and the others still have their places.          *)
(*                                                                         *)
(* Requests may be late, lost or arrive twice. There is no time: a lease may   *)
(* end at any moment, and its process never counts on one that has ended      *)
(* (R17, see Lease.tla).                                                     *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, Sequences

CONSTANTS
  Process,
  Ticket,   \* fair acquisitions: the first letter of each is its process
  Broken    \* the rule that this variant breaks; "nothing" in Leasehold

ASSUME Broken \in {
  "nothing", "run reaches over others", "run in no order", "hand-over keeps the token",
  "served places are kept", "served may enter again", "release takes the whole run",
  "served are not withdrawn after a loss", "lost lease is handed on"}

None == "none"

VARIABLES
  store,    \* the holder and its number, the queue, the counter, and the ids that it grants no more
  sent,     \* requests, each of which may arrive now, later, twice or never
  heard,    \* grants on their way or received, of leases that stand
  at,       \* where each ticket is: "new", "waits", "holds", "over"
  lease,    \* of each process: the ticket of its lease, number, hand-overs, the run still to be served, the served
  dead,     \* processes that crashed
  settled,  \* tickets of which the store was told that they are over, and has answered
  arrived,  \* all tickets in the order in which they entered the queue
  last      \* the last token

vars == <<store, sent, heard, at, lease, dead, settled, arrived, last>>

ProcessOf(t) == IF t \in {"a1", "a2", "a3", "a4"} THEN "a" ELSE "b"

NoLease == [ticket |-> None, number |-> 0, step |-> 0, run |-> <<>>, served |-> {}]

Init ==
  /\ store = [holder |-> None, number |-> 0, queue |-> <<>>, counter |-> 0, ended |-> {}]
  /\ sent = {} /\ heard = {}
  /\ at = [t \in Ticket |-> "new"]
  /\ lease = [p \in Process |-> NoLease]
  /\ dead = {} /\ settled = {}
  /\ arrived = <<>>
  /\ last = 0

Elements(seq) == {seq[i] : i \in 1 .. Len(seq)}

\* A hand-over raises the token, and the next grant is above all of them.
Token(number, step) == 10 * number + step

Without(seq, gone) == SelectSeq(seq, LAMBDA t : t \notin gone)

Alive(t) == ProcessOf(t) \notin dead

Withdrawal(t) == [is |-> "withdraw", ticket |-> t, served |-> {}]

-----------------------------------------------------------------------------
(* The store *)

ArriveEntry(t) ==
  /\ [is |-> "enter", ticket |-> t, served |-> {}] \in sent
  /\ t \notin store.ended /\ t # store.holder /\ t \notin Elements(store.queue)
  /\ store' = [store EXCEPT !.queue = Append(@, t)]
  /\ arrived' = IF t \in Elements(arrived) THEN arrived ELSE Append(arrived, t)
  /\ UNCHANGED <<sent, heard, at, lease, dead, settled, last>>

\* How many at the head are of one process.
RECURSIVE Directly(_, _)
Directly(p, queue) ==
  IF queue = <<>> \/ ProcessOf(Head(queue)) # p THEN <<>>
  ELSE <<Head(queue)>> \o Directly(p, Tail(queue))

RunBehind(t, queue) ==
  IF Broken = "run reaches over others" THEN SelectSeq(queue, LAMBDA u : ProcessOf(u) = ProcessOf(t))
  ELSE Directly(ProcessOf(t), queue)

Grant ==
  /\ store.holder = None /\ store.queue # <<>>
  /\ LET t == Head(store.queue)
         n == store.counter + 1
         rest == Tail(store.queue)
     IN /\ store' = [store EXCEPT !.holder = t, !.number = n, !.queue = rest, !.counter = n]
        /\ heard' = heard \cup {[ticket |-> t, number |-> n, run |-> RunBehind(t, rest)]}
  /\ UNCHANGED <<sent, at, lease, dead, settled, arrived, last>>

OfLease(t) == {g \in heard : g.ticket = t}

Forbidden(gone) == IF Broken = "served may enter again" THEN {} ELSE gone

ArriveRelease(t) ==
  /\ \E m \in sent :
       /\ m.is = "release" /\ m.ticket = t
       /\ IF store.holder = t
          THEN LET taken == IF Broken = "served places are kept" THEN {} ELSE m.served
               IN /\ store' = [store EXCEPT !.holder = None, !.queue = Without(@, taken),
                                            !.ended = @ \cup {t} \cup Forbidden(m.served)]
                  /\ settled' = settled \cup {t} \cup {u \in m.served : at[u] = "over"}
                  /\ heard' = heard \ OfLease(t)
                  /\ UNCHANGED sent
          ELSE \* The answer is that it was not held, and the process withdraws what it served
               /\ sent' = sent \cup {Withdrawal(u) : u \in m.served}
               /\ UNCHANGED <<store, heard, settled>>
  /\ UNCHANGED <<at, lease, dead, arrived, last>>

ArriveWithdrawal(t) ==
  /\ Withdrawal(t) \in sent
  /\ store' = [store EXCEPT !.holder = IF @ = t THEN None ELSE @,
                            !.queue = Without(@, {t}), !.ended = @ \cup {t}]
  /\ heard' = heard \ OfLease(t)
  /\ settled' = settled \cup {t}
  /\ UNCHANGED <<sent, at, lease, dead, arrived, last>>

\* The caller that has the lock by the lease of this process.
Served(p) == {t \in Ticket : ProcessOf(t) = p /\ at[t] = "holds"}

\* Expired, or broken by an operator: the process has ceased to count on it.
End(t) ==
  /\ store.holder = t
  /\ store' = [store EXCEPT !.holder = None, !.ended = @ \cup {t}]
  /\ heard' = heard \ OfLease(t)
  /\ LET p == ProcessOf(t)
         its == lease[p].ticket = t
         lost == lease[p].served
     IN /\ IF its /\ Broken # "lost lease is handed on"
           THEN /\ at' = [u \in Ticket |-> IF u \in Served(p) THEN "over" ELSE at[u]]
                /\ lease' = [lease EXCEPT ![p] = NoLease]
           ELSE UNCHANGED <<at, lease>>
        /\ IF its /\ Broken = "served are not withdrawn after a loss"
           THEN /\ settled' = settled \cup lost
                /\ UNCHANGED sent
           ELSE /\ sent' = sent \cup (IF its THEN {Withdrawal(u) : u \in lost} ELSE {})
                /\ UNCHANGED settled
  /\ UNCHANGED <<dead, arrived, last>>

\* A place of a process that is silent lapses.
Lapse(t) ==
  /\ ~Alive(t) /\ t \in Elements(store.queue)
  /\ store' = [store EXCEPT !.queue = Without(@, {t}), !.ended = @ \cup {t}]
  /\ UNCHANGED <<sent, heard, at, lease, dead, settled, arrived, last>>

-----------------------------------------------------------------------------
(* A process *)

Enter(t) ==
  /\ at[t] = "new" /\ Alive(t)
  /\ at' = [at EXCEPT ![t] = "waits"]
  /\ sent' = sent \cup {[is |-> "enter", ticket |-> t, served |-> {}]}
  /\ UNCHANGED <<store, heard, lease, dead, settled, arrived, last>>

HearGrant(t) ==
  LET p == ProcessOf(t)
  IN /\ p \notin dead /\ at[t] = "waits" /\ lease[p] = NoLease
     /\ at' = [at EXCEPT ![t] = "holds"]
     /\ \E g \in OfLease(t) :
          /\ lease' = [lease EXCEPT ![p] = [ticket |-> t, number |-> g.number, step |-> 0,
                                            run |-> g.run, served |-> {}]]
          /\ last' = Token(g.number, 0)
     /\ UNCHANGED <<store, sent, heard, dead, settled, arrived>>

\* Those of the run that still wait, in their order.
Waiting(p) == SelectSeq(lease[p].run, LAMBDA t : at[t] = "waits")

\* The caller releases, and the next of the run has the lock.
HandOn(p) ==
  /\ lease[p] # NoLease /\ Served(p) # {} /\ Waiting(p) # <<>>
  /\ \E next \in Elements(Waiting(p)) :
       /\ next = Head(Waiting(p)) \/ Broken = "run in no order"
       /\ LET step == lease[p].step + (IF Broken = "hand-over keeps the token" THEN 0 ELSE 1)
          IN /\ lease' = [lease EXCEPT ![p].step = step, ![p].served = @ \cup {next}]
             /\ last' = Token(lease[p].number, step)
       /\ at' = [t \in Ticket |->
                  IF t \in Served(p) THEN "over" ELSE IF t = next THEN "holds" ELSE at[t]]
  /\ UNCHANGED <<store, sent, heard, dead, settled, arrived>>

\* Also where others of the run still wait: it lasts for a second at most.
Release(p) ==
  /\ lease[p] # NoLease /\ Served(p) # {}
  /\ LET whole == Elements(lease[p].run) \cup lease[p].served
         named == IF Broken = "release takes the whole run" THEN whole ELSE lease[p].served
     IN sent' = sent \cup {[is |-> "release", ticket |-> lease[p].ticket, served |-> named]}
  /\ at' = [t \in Ticket |-> IF t \in Served(p) THEN "over" ELSE at[t]]
  /\ lease' = [lease EXCEPT ![p] = NoLease]
  /\ UNCHANGED <<store, heard, dead, settled, arrived, last>>

GiveUp(t) ==
  /\ at[t] = "waits" /\ Alive(t)
  /\ at' = [at EXCEPT ![t] = "over"]
  /\ sent' = sent \cup {Withdrawal(t)}
  /\ UNCHANGED <<store, heard, lease, dead, settled, arrived, last>>

Crash(p) ==
  /\ p \notin dead
  /\ dead' = dead \cup {p}
  /\ at' = [t \in Ticket |-> IF ProcessOf(t) = p THEN "over" ELSE at[t]]
  /\ lease' = [lease EXCEPT ![p] = NoLease]
  /\ UNCHANGED <<store, sent, heard, settled, arrived, last>>

Next ==
  \/ Grant
  \/ \E t \in Ticket :
       \/ Enter(t) \/ ArriveEntry(t) \/ HearGrant(t) \/ GiveUp(t) \/ ArriveWithdrawal(t)
       \/ ArriveRelease(t) \/ End(t) \/ Lapse(t)
  \/ \E p \in Process : HandOn(p) \/ Release(p) \/ Crash(p)

Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* What is promised *)

Exclusion == Cardinality({t \in Ticket : at[t] = "holds"}) <= 1

\* Nothing is left in the store of a ticket that is over, once the store has confirmed that.
NoGhost == settled \cap (Elements(store.queue) \cup {store.holder}) = {}

Place(t) == CHOOSE i \in 1 .. Len(arrived) : arrived[i] = t

IsBefore(t, u) ==
  t \in Elements(arrived) /\ u \in Elements(arrived) /\ Place(t) < Place(u)

Begins(t) == at[t] = "waits" /\ at'[t] = "holds"

\* Each is served behind all that entered before it and still have their place.
InOrder ==
  [][\A u \in Ticket : Begins(u) =>
       \A t \in Elements(store.queue) : IsBefore(t, u) => at[t] # "waits"]_vars

TokensRise == [][\A t \in Ticket : Begins(t) => last' > last]_vars

\* Only a grant, the end of its caller or of its process takes a place.
PlacesStay ==
  [][\A t \in Elements(store.queue) :
       t \in Elements(store'.queue) \/ store'.holder = t \/ at[t] = "over"]_vars

-----------------------------------------------------------------------------
(* What must be reached, for the promises to mean anything: each of these is wrong *)

NeverTwoServed == \A p \in Process : Cardinality(lease[p].served) < 2
NeverSkipped ==
  ~\E p \in Process : \E t \in lease[p].served : \E u \in Elements(lease[p].run) :
     at[u] = "over" /\ u \notin lease[p].served /\ IsBefore(u, t)
NeverServedAndGranted == store.holder = None \/ at[store.holder] # "over"
NeverLateEntry == ~\E t \in settled : [is |-> "enter", ticket |-> t, served |-> {}] \in sent
NeverOtherBehindRun ==
  ~\E p \in Process : \E t \in Elements(store.queue) :
     lease[p].served # {} /\ ProcessOf(t) # p /\ at[t] = "waits"
=============================================================================
