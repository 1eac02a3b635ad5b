------------------------------- MODULE Lease -------------------------------
(***************************************************************************)
(* Leasehold's lease protocol: clients that contend for one exclusive lock *)
(* at one store, over a network that loses, delays, repeats and reorders.  *)
(*                                                                         *)
(* Time is kept as what is left, not as an instant: a tick shortens every  *)
(* life by one, so runs of any length are explored with small numbers.     *)
(* A pause is nothing special: no client has to act before the next tick.  *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Client,     \* who contends
  Tickets,    \* how many tickets a client may use, one after another
  Grants,     \* how many grants are explored; after them the lock is busy
  Ttl,        \* the life of a lease
  Drift,      \* how many ticks of a life a client's clock may miss
  Delay,      \* within how many ticks an attempt is answered, and made again at once if in vain; or Endless
  Latest,     \* how long a request without a waiting caller may stay on its way
  MaxOrphans, \* how many of those there may be at once, beside those of a crash
  Losses,     \* how many requests or answers may be lost; Endless: any number
  Chain,      \* how many tokens there are in one grant
  Remembers,  \* whether the store knows the ids that were granted or withdrawn
  Can,        \* what may happen beside acquiring, waiting and releasing
  Broken      \* the rule that this variant breaks; "nothing" in Leasehold

Endless == 99

ASSUME Can \subseteq {"renew", "handOver", "giveUp", "crash", "break", "write"}
ASSUME Broken \in {
  "nothing", "validity from the reply", "validity of the ttl asked for", "no allowance for drift",
  "renewal revives", "renewal after release", "release by name", "repeat extends", "repeat mints again",
  "token reused after expiry", "hand-over keeps the token", "first withdrawal is final",
  "release forgets its attempts",
  "resource without fence"}

Ticket == Client \X (1 .. Tickets)
NoTicket == <<"none", 0>>

VARIABLES
  row,      \* the store: whose lease was last granted and not ended early, and its life; 0: free
  number,   \* the store: its last fence number
  used,     \* the store: the ids that are never granted (again)
  wire,     \* requests and answers on their way
  at,       \* the clients: where each ticket is
  losses,   \* what was lost so far, unless that is endless
  broken,   \* ids whose lease an operator broke
  minted,   \* how many grants there were: the true order, whatever the fence number says
  issued,   \* the tokens of all holds so far, with their true order
  seen      \* the last write that the fenced resource accepted

store == <<row, number, used, minted>>
outside == <<broken, seen>>
vars == <<row, number, used, wire, at, losses, broken, minted, issued, seen>>

New == [is |-> "new", left |-> 0, lag |-> 0, number |-> 0, order |-> 0, handed |-> 0,
        mayLand |-> FALSE, since |-> 0]

Init ==
  /\ row = [id |-> NoTicket, left |-> 0, order |-> 0]
  /\ number = 0 /\ used = {} /\ wire = {}
  /\ at = [t \in Ticket |-> New]
  /\ losses = 0 /\ broken = {} /\ minted = 0 /\ issued = {}
  /\ seen = [order |-> 0, token |-> 0]

Of(t) == t[1]  \* whose ticket it is
Live(t) == row.id = t /\ row.left > 0
Held(t) == at[t].is = "held" /\ at[t].left > 0        \* what isHeld() says
Current(t) == at[t].is \in {"asking", "held", "releasing"}

-----------------------------------------------------------------------------
(* The wire *)

Request(op, t) == [op |-> op, id |-> t, age |-> 0, lag |-> 0, awaited |-> TRUE, final |-> FALSE,
                   granted |-> FALSE, number |-> 0, order |-> 0, left |-> 0]
Awaited(op, t) == {m \in wire : m.op = op /\ m.id = t /\ m.awaited}
Send(m) == Awaited(m.op, m.id) = {} /\ wire' = wire \cup {m}
Arrives(m, op) == m.op = op /\ ~m.granted

\* Only the answer that grants may stay on its way: to hear of any other later is to know less for longer.
\* A request without a waiting caller gets no answer, and may arrive once more.
Answered(m) == wire' = wire \ {m} \/ (~m.awaited /\ wire' = wire)

\* From here on the client does not wait for these; they may arrive nevertheless, if they have not yet.
Orphans(ms) == {[m EXCEPT !.awaited = FALSE, !.age = 0, !.lag = 0] : m \in {n \in ms : ~n.granted}}
Lose(m) ==
  /\ losses < Losses /\ losses' = IF Losses = Endless THEN 0 ELSE losses + 1
  /\ \/ wire' = wire \ {m}
     \/ /\ Cardinality({n \in wire : ~n.awaited}) < MaxOrphans
        /\ wire' = (wire \ {m}) \cup Orphans({m})

-----------------------------------------------------------------------------
(* Where a ticket goes *)

Goto(t, where) == [at EXCEPT ![t] = [@ EXCEPT !.is = where, !.left = 0, !.lag = 0, !.since = 0]]
Done(t) == [at EXCEPT ![t] = [New EXCEPT !.is = "done"]]

\* Whether a request that was sent for it may still be granted.
MayLand(t) == at[t].mayLand \/ Awaited("attempt", t) # {}

\* A ticket that is used up: forgotten at once if nothing of it can land.
Settled(t, known) ==
  IF known \/ (MayLand(t) /\ Broken # "release forgets its attempts") THEN Goto(t, "limbo") ELSE Done(t)

\* Counted from the sending, by the client's own clock.
Validity(m, left) ==
  left - (IF Broken = "validity from the reply" THEN 0 ELSE m.age)
    - (IF Broken = "no allowance for drift" THEN 0 ELSE Drift)

Token(n, handed) == n * Chain + IF Broken = "hand-over keeps the token" THEN 0 ELSE handed
Issue(h) == issued' = issued \cup {[order |-> h.order * Chain + h.handed, token |-> Token(h.number, h.handed)]}

-----------------------------------------------------------------------------
(* An attempt: sent, arrived, heard *)

Begin(t) ==
  /\ at[t].is = "new"
  /\ \A u \in Ticket : Of(u) = Of(t) => ~Current(u) /\ (u[2] < t[2] => at[u].is # "new")
  /\ at' = Goto(t, "asking") /\ Send(Request("attempt", t))
  /\ UNCHANGED <<losses, issued>> /\ UNCHANGED store /\ UNCHANGED outside

AskAgain(t) ==
  /\ at[t].is = "asking" /\ Send(Request("attempt", t))
  /\ UNCHANGED <<at, losses, issued>> /\ UNCHANGED store /\ UNCHANGED outside

Keep(ids) == IF Remembers THEN ids ELSE {}

Granted(m) ==
  IF m.awaited
  THEN wire' = (wire \ {m}) \cup
         {[m EXCEPT !.granted = TRUE, !.number = number', !.order = row'.order, !.left = row'.left]}
  ELSE Answered(m)

Repeat(m) ==
  /\ CASE Broken = "repeat extends" -> row' = [row EXCEPT !.left = Ttl] /\ UNCHANGED <<number, minted>>
       [] Broken = "repeat mints again" ->
            /\ number' = number + 1 /\ minted' = minted + 1
            /\ row' = [row EXCEPT !.order = minted + 1]
       [] OTHER -> UNCHANGED <<row, number, minted>>
  /\ Granted(m) /\ UNCHANGED <<used, at>>

Grant(m) ==
  /\ minted' = minted + 1
  /\ number' = IF Broken = "token reused after expiry" /\ row.id # NoTicket THEN number ELSE number + 1
  /\ row' = [id |-> m.id, left |-> Ttl, order |-> minted + 1]
  /\ used' = used \cup Keep({m.id})
  /\ Granted(m) /\ UNCHANGED at

\* Busy, or gone: the ticket is used up and its client goes on with another.
Refuse(m) ==
  /\ at' = CASE m.awaited /\ at[m.id].is = "asking" /\ m.id \in used -> Goto(m.id, "limbo")
             [] m.awaited /\ at[m.id].is = "limbo" -> Goto(m.id, "limbo")
             [] OTHER -> at
  /\ Answered(m) /\ UNCHANGED store

ArriveAttempt(m) ==
  /\ Arrives(m, "attempt")
  /\ IF Live(m.id) THEN Repeat(m)
     ELSE IF row.left = 0 /\ m.id \notin used /\ minted < Grants THEN Grant(m)
     ELSE Refuse(m)
  /\ UNCHANGED <<losses, issued>> /\ UNCHANGED outside

Hold(m, left) ==
  LET h == [New EXCEPT !.is = "held", !.left = left, !.lag = m.lag, !.number = m.number,
                       !.order = m.order, !.mayLand = at[m.id].mayLand]
  IN at' = [at EXCEPT ![m.id] = h] /\ Issue(h)

\* Too late: used up. Not asked for any more: an attempt has ended.
HearGrant(m) ==
  /\ m.granted /\ wire' = wire \ {m}
  /\ LET left == Validity(m, IF Broken = "validity of the ttl asked for" THEN Ttl ELSE m.left)
     IN IF at[m.id].is = "asking" /\ left > 0 THEN Hold(m, left)
        ELSE at' = Goto(m.id, "limbo") /\ UNCHANGED issued
  /\ UNCHANGED losses /\ UNCHANGED store /\ UNCHANGED outside

-----------------------------------------------------------------------------
(* A hold: renewed, handed over, expired, released *)

Renew(t) ==
  /\ "renew" \in Can
  /\ (at[t].is = "held" /\ at[t].left < Ttl) \/ (Broken = "renewal after release" /\ at[t].is = "releasing")
  /\ Send(Request("renew", t))
  /\ UNCHANGED <<at, losses, issued>> /\ UNCHANGED store /\ UNCHANGED outside

\* What has run out at the client stays over.
Renewed(m) ==
  IF m.awaited /\ Held(m.id) /\ Validity(m, Ttl) > 0
  THEN [at EXCEPT ![m.id].left = Validity(m, Ttl), ![m.id].lag = m.lag]
  ELSE at

ArriveRenewal(m) ==
  /\ Arrives(m, "renew")
  /\ IF Live(m.id) \/ (Broken = "renewal revives" /\ row.id = m.id)
     THEN row' = [row EXCEPT !.left = Ttl] /\ at' = Renewed(m)
     ELSE /\ at' = IF m.awaited /\ at[m.id].is = "held" THEN Settled(m.id, FALSE) ELSE at
          /\ UNCHANGED row
  /\ Answered(m)
  /\ UNCHANGED <<number, used, minted, losses, issued>> /\ UNCHANGED outside

HandOver(t) ==
  /\ "handOver" \in Can /\ Held(t) /\ at[t].handed + 1 < Chain
  /\ LET h == [at[t] EXCEPT !.handed = @ + 1] IN at' = [at EXCEPT ![t] = h] /\ Issue(h)
  /\ UNCHANGED <<wire, losses>> /\ UNCHANGED store /\ UNCHANGED outside

Expire(t) ==
  /\ at[t].is = "held" /\ at[t].left = 0 /\ at' = Settled(t, TRUE)
  /\ UNCHANGED <<wire, losses, issued>> /\ UNCHANGED store /\ UNCHANGED outside

Release(t) ==
  /\ Held(t) /\ at' = Goto(t, "releasing") /\ Send(Request("release", t))
  /\ UNCHANGED <<losses, issued>> /\ UNCHANGED store /\ UNCHANGED outside

Free(t) == row' = IF Live(t) THEN [id |-> NoTicket, left |-> 0, order |-> 0] ELSE row

ArriveRelease(m) ==
  /\ Arrives(m, "release")
  /\ Free(IF Broken = "release by name" THEN row.id ELSE m.id)
  /\ at' = IF m.awaited THEN Settled(m.id, FALSE) ELSE at
  /\ Answered(m)
  /\ UNCHANGED <<number, used, minted, losses, issued>> /\ UNCHANGED outside

-----------------------------------------------------------------------------
(* A ticket that is given up, or whose fate is unknown *)

GiveUp(t) ==
  /\ "giveUp" \in Can /\ at[t].is = "asking" /\ at' = Goto(t, "limbo")
  /\ UNCHANGED <<wire, losses, issued>> /\ UNCHANGED store /\ UNCHANGED outside

\* Final if every attempt has ended when it is sent: it comes after all of them.
Withdraw(t) ==
  /\ at[t].is = "limbo"
  /\ Send([Request("withdraw", t) EXCEPT !.final = ~MayLand(t)])
  /\ UNCHANGED <<at, losses, issued>> /\ UNCHANGED store /\ UNCHANGED outside

\* Whatever could land has landed, and its lease has run out.
Outlived(t) == Awaited("attempt", t) = {} /\ Latest # Endless /\ at[t].since = Latest + Ttl

\* A store that remembers says that nothing sent earlier can be granted.
IsFinal(m) == m.final \/ Remembers \/ Outlived(m.id) \/ Broken = "first withdrawal is final"

ArriveWithdrawal(m) ==
  /\ Arrives(m, "withdraw")
  /\ Free(m.id)
  /\ used' = used \cup Keep({m.id})
  /\ at' = IF m.awaited /\ IsFinal(m) THEN Done(m.id) ELSE at
  /\ Answered(m)
  /\ UNCHANGED <<number, minted, losses, issued>> /\ UNCHANGED outside

\* No answer came in time.
Unknown(m) ==
  /\ m.awaited /\ Lose(m)
  /\ at' = CASE m.op = "attempt" -> [at EXCEPT ![m.id].mayLand = TRUE, ![m.id].since = 0]
             [] m.op = "release" -> Settled(m.id, TRUE)
             [] OTHER -> at
  /\ UNCHANGED issued /\ UNCHANGED store /\ UNCHANGED outside

Crash(c) ==
  /\ "crash" \in Can /\ \E t \in Ticket : Of(t) = c /\ Current(t)
  /\ at' = [t \in Ticket |-> IF Of(t) = c THEN [New EXCEPT !.is = "crashed"] ELSE at[t]]
  /\ LET own == {m \in wire : m.awaited /\ Of(m.id) = c} IN wire' = (wire \ own) \cup Orphans(own)
  /\ UNCHANGED <<losses, issued>> /\ UNCHANGED store /\ UNCHANGED outside

-----------------------------------------------------------------------------
(* The world *)

\* By an operator, who names the lease by its number.
Break ==
  /\ "break" \in Can /\ row.left > 0
  /\ broken' = broken \cup {row.id} /\ Free(row.id)
  /\ UNCHANGED <<number, used, minted, wire, at, losses, issued, seen>>

\* By anybody who ever held the lock, however long ago.
Write(hold) ==
  /\ "write" \in Can
  /\ hold.token >= seen.token \/ Broken = "resource without fence"
  /\ seen' = hold
  /\ UNCHANGED <<wire, at, losses, issued, broken>> /\ UNCHANGED store

Less(n) == IF n > 0 THEN n - 1 ELSE 0
More(n, most) == IF n < most THEN n + 1 ELSE n

MayMiss(c) ==
  /\ \A t \in Ticket : Of(t) = c /\ Held(t) => at[t].lag < Drift
  /\ \A m \in wire : Of(m.id) = c /\ m.awaited => m.lag < Drift

OlderTicket(h, isSlow) ==
  [h EXCEPT !.left = IF isSlow THEN @ ELSE Less(@),
            !.lag = IF isSlow /\ h.left > 0 THEN @ + 1 ELSE @,
            !.since = IF h.is = "limbo" /\ Latest # Endless THEN More(@, Latest + Ttl) ELSE @]

OlderRequest(m, isSlow) ==
  IF ~m.awaited THEN (IF Latest = Endless THEN m ELSE [m EXCEPT !.age = @ + 1])
  ELSE IF isSlow THEN [m EXCEPT !.lag = @ + 1]
  ELSE [m EXCEPT !.age = More(@, Ttl)]

IsPrompt ==
  /\ \A m \in wire : m.awaited => m.age < Delay
  /\ \A t \in Ticket : at[t].is = "asking" => Awaited("attempt", t) # {}

\* Time passes; the clocks of the slow miss it.
Tick(slow) ==
  /\ \A c \in slow : MayMiss(c)
  /\ Delay # Endless => IsPrompt
  /\ row' = [row EXCEPT !.left = Less(@)]
  /\ at' = [t \in Ticket |-> OlderTicket(at[t], Of(t) \in slow)]
  /\ wire' = {OlderRequest(m, Of(m.id) \in slow) : m \in {n \in wire : n.awaited \/ n.age < Latest}}
  /\ UNCHANGED <<number, used, minted, losses, issued>> /\ UNCHANGED outside

Slow == IF Drift = 0 THEN {{}} ELSE SUBSET Client

Next ==
  \/ \E t \in Ticket :
       \/ Begin(t) \/ AskAgain(t) \/ GiveUp(t) \/ Renew(t) \/ Expire(t) \/ HandOver(t) \/ Release(t)
       \/ Withdraw(t)
  \/ \E m \in wire :
       \/ ArriveAttempt(m) \/ ArriveRenewal(m) \/ ArriveRelease(m) \/ ArriveWithdrawal(m)
       \/ HearGrant(m) \/ Unknown(m)
  \/ \E c \in Client : Crash(c)
  \/ Break
  \/ \E hold \in issued : Write(hold)
  \/ \E slow \in Slow : Tick(slow)

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Client)

-----------------------------------------------------------------------------
(* What is promised: of states *)

\* R1, R17: at most one client is told that it holds the lock, but for what an operator broke.
Exclusion == \A t, u \in Ticket : Held(t) /\ Held(u) /\ t # u => {t, u} \cap broken # {}

\* R4: in the order in which the holds were granted and handed over, their tokens rise.
TokensRise == \A p, q \in issued : p.order < q.order => p.token < q.token

\* R9: of what is settled nothing is left in the store, and nothing on its way can be granted.
NoGhost ==
  \A t \in Ticket : at[t].is = "done" =>
    /\ ~Live(t)
    /\ t \in used \/ \A m \in wire : ~(m.id = t /\ Arrives(m, "attempt"))

\* The fenced resource refuses no holder of the lock.
HolderMayWrite ==
  \A t \in Ticket : Held(t) /\ t \notin broken => Token(at[t].number, at[t].handed) >= seen.token

(* What is promised: of steps *)

\* R3: asking again has the same answer, and neither extends nor mints.
RepeatChangesNothing == [][\A m \in wire : ArriveAttempt(m) /\ Live(m.id) => UNCHANGED store]_vars

\* R6: what has ended lives again by a new grant only.
RenewalNeverRevives == [][row.left = 0 /\ row'.left > 0 => minted' > minted]_vars

\* R7, R8: a lease ends before its time only because its own client let it go, or by an operator.
EndsByItsOwn ==
  [][row.left > 0 /\ row'.id # row.id =>
       row.id \in broken' \/ at[row.id].is \in {"releasing", "limbo", "done", "crashed"}]_vars

\* No renewal is sent after the release.
RenewalEndsWithRelease ==
  [][\A m \in wire' \ wire : m.op = "renew" /\ m = Request("renew", m.id) => at[m.id].is = "held"]_vars

\* The resource accepts nothing of an earlier hold once a later one wrote.
NoStaleWrite == [][seen'.order >= seen.order]_vars

(* What is promised: in the end, if requests are answered and the clock runs *)

Arrive(m) == ArriveAttempt(m) \/ ArriveRenewal(m) \/ ArriveRelease(m) \/ ArriveWithdrawal(m) \/ HearGrant(m)

Fairness ==
  /\ SF_vars(Tick({}))
  /\ \A t \in Ticket :
       /\ WF_vars(AskAgain(t)) /\ WF_vars(Release(t)) /\ WF_vars(Expire(t)) /\ WF_vars(Withdraw(t))
       /\ \A op \in {"attempt", "release", "withdraw"} :
            WF_vars(\E m \in wire : m.id = t /\ m.op = op /\ m.awaited /\ Arrive(m))

FairSpec == Spec /\ Fairness

\* A waiter that keeps trying gets in, or crashes.
WaiterGetsIn ==
  \A c \in Client :
    (\E t \in Ticket : Of(t) = c /\ at[t].is = "asking")
      ~> (\E t \in Ticket : Of(t) = c /\ at[t].is \in {"held", "crashed"})

\* R9: what was given up is settled.
LimboEnds == \A t \in Ticket : at[t].is = "limbo" ~> at[t].is \in {"done", "crashed"}

\* R10: the lock of a dead holder comes free.
DeadHolderEnds == \A t \in Ticket : (Live(t) /\ at[t].is = "crashed") ~> ~Live(t)

-----------------------------------------------------------------------------
(* What must be reached, for the promises to mean anything: each of these is wrong *)

NeverHandedOver == \A t \in Ticket : at[t].handed = 0
NeverAnsweredAgain == \A m \in wire : m.granted => ~at[m.id].mayLand
NeverGrantedAfterGivingUp == \A t \in Ticket : Live(t) => at[t].is # "limbo" \/ ~at[t].mayLand
NeverRefused == \A hold \in issued : hold.token >= seen.token
NeverTakenAfterExpiry == \A t \in Ticket : at[t].is = "held" => row.id \in {t, NoTicket}
=============================================================================
