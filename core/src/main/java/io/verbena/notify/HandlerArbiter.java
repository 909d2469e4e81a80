package io.verbena.notify;

import io.verbena.base.DoorbellStack;
import io.verbena.base.Times;
import io.verbena.verbs.CqHandlerId;
import io.verbena.verbs.EventAddress;
import io.verbena.verbs.EventSource;
import io.verbena.verbs.HandlerOptions;
import io.verbena.verbs.ProcessorPolicy;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of one handler processor, and which of the signalled handlers is next; see {@link ProcessorPolicy}. It has
 * no thread and no clock: the processor calls {@link #run}.
 *
 * <p>Weights are start-time fair queueing: an account (a class at a priority) that is served pays the time it took divided by
 * its weight; the account that has paid least is next; one that was idle starts at what the one served last had paid, so
 * idleness earns no credit.
 */
public final class HandlerArbiter {

    private static final CqHandlerId NOBODY = CqHandlerId.NONE;
    private static final int MOST_ACCOUNTS = 64;
    private static final int SCALE = 1024;

    private final String name;
    private final ProcessorPolicy policy;
    private final Runnable wake;
    private final Consumer<Throwable> noticeFailed;
    private final long patienceNs;
    private final DoorbellStack bells = new DoorbellStack();
    private final Set<Address> attached = ConcurrentHashMap.newKeySet();
    private final ConcurrentLinkedQueue<Runnable> notices = new ConcurrentLinkedQueue<>();
    private final Address noticeAddress;
    private volatile boolean closed;

    // The processor's own.
    private final List<Account> accounts = new ArrayList<>();
    private int queued;
    private boolean patienceServed;

    /** A class at a priority, and those of its handlers that are signalled, oldest first. */
    private static final class Account {
        private final String serviceClass;
        private final int priority;
        private final int weight;
        private final Level level;
        private long paid;
        private @Nullable Address head;
        private @Nullable Address tail;

        Account(String serviceClass, int priority, int weight, Level level) {
            this.serviceClass = serviceClass;
            this.priority = priority;
            this.weight = weight;
            this.level = level;
        }
    }

    /** Accounts that share by weight: what the one served last had paid when it began. */
    private static final class Level {
        private long paid;
    }

    /** A handler's place. Signals of different handlers touch different cache lines. */
    private final class Address extends DoorbellStack.Bell implements EventAddress {
        @SuppressWarnings("UnusedVariable") // keeps the bells of two addresses off one line
        private long p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14, p15;

        private final CqHandlerId datum;
        private final EventSource source;
        private volatile HandlerOptions options;
        private @Nullable Account account;
        private @Nullable Address next;
        private long sinceNs;
        private @Nullable HandlerOptions placedAs;

        Address(CqHandlerId datum, HandlerOptions options, EventSource source) {
            this.datum = datum;
            this.options = options;
            this.source = source;
        }

        @Override
        public void signal() {
            if (closed) {
                throw new IllegalStateException("the handler processor '" + name + "' has ended");
            }
            if (bells.ring(this)) {
                wake.run();
            }
        }

        @Override
        public void options(HandlerOptions wanted) {
            options = wanted;
            if (!closed && bells.ring(this)) {
                wake.run(); // it may be queued by its old class
            }
        }

        @Override
        public void detach() {
            attached.remove(this);
        }

        @Override
        public String toString() {
            return name + "/" + datum.value();
        }
    }

    /**
     * An arbiter without handlers.
     *
     * @param name the processor's, for messages
     * @param wake called by the first thread that signals after the processor took the signals: wakes the processor if it sleeps
     * @param noticeFailed is given what a {@link #notice} threw; the next notice runs all the same
     */
    public HandlerArbiter(String name, ProcessorPolicy policy, Runnable wake, Consumer<Throwable> noticeFailed) {
        this.noticeFailed = noticeFailed;
        this.name = name;
        this.policy = policy;
        this.wake = wake;
        this.patienceNs = Times.nanos(policy.patience());
        this.noticeAddress = new Address(NOBODY, HandlerOptions.defaults(), new Notices());
    }

    /** Work that is no handler's, one piece after the other. */
    private final class Notices implements EventSource {
        @Override
        public boolean serve() {
            Runnable notice = notices.poll();
            try {
                if (notice != null) {
                    notice.run();
                }
            } catch (Throwable e) {
                noticeFailed.accept(e);
            }
            return !notices.isEmpty();
        }

        @Override
        public void abandon() {
            notices.clear();
        }
    }

    // Any thread.

    /** Gives a handler an address. */
    public EventAddress attach(CqHandlerId datum, HandlerOptions options, EventSource source) {
        if (closed) {
            throw new IllegalStateException("the handler processor '" + name + "' has ended; open another");
        }
        Address address = new Address(datum, options, source);
        attached.add(address);
        return address;
    }

    /** Has a piece of work run, in the default class; drops it when the processor has ended. */
    public void notice(Runnable work) {
        if (!closed) {
            notices.add(work);
            if (bells.ring(noticeAddress)) {
                wake.run();
            }
        }
    }

    /** Whether a signal has arrived since the processor took the signals. */
    public boolean rung() {
        return !bells.isEmpty();
    }

    /** Refuses signals from now on and returns waiting events to their handlers. The processor has ended, or is the caller. */
    public void close() {
        closed = true;
        VarHandle.fullFence();
        for (Address address : attached) {
            address.source.abandon();
        }
        notices.clear();
    }

    public boolean closed() {
        return closed;
    }

    // The processor.

    /**
     * Serves events in the order that the policy says.
     *
     * @param most how many at most
     * @param clock the time now
     * @return how many; 0 when nothing was signalled
     */
    public int run(int most, LongSupplier clock) {
        int ran = 0;
        long nowNs = clock.getAsLong();
        while (ran < most && !closed) {
            hear(nowNs);
            Address next = queued == 0 ? null : choose(nowNs);
            if (next == null) {
                break;
            }
            nowNs = serve(next, nowNs, clock);
            ran++;
        }
        return ran;
    }

    /** Whether no handler waits now; cheap. For the processor. */
    public boolean idle() {
        return queued == 0 && bells.isEmpty();
    }

    /** Number of handlers that wait now, for a caller that serves each of them once. */
    public int waiting(long nowNs) {
        hear(nowNs);
        return queued;
    }

    private long serve(Address address, long beganNs, LongSupplier clock) {
        Account account = account(address);
        account.level.paid = Math.max(account.level.paid, account.paid);
        boolean more = false;
        try {
            more = address.source.serve();
        } finally {
            long endedNs = clock.getAsLong();
            account.paid += Math.max(1, endedNs - beganNs) * SCALE / account.weight;
            if (more) {
                enqueue(address, endedNs);
            }
            beganNs = endedNs;
        }
        return beganNs;
    }

    private void hear(long nowNs) {
        if (bells.isEmpty()) {
            return;
        }
        // The chain has the latest signal first.
        Address oldest = null;
        DoorbellStack.@Nullable Bell bell = bells.takeAll();
        while (bell != null) {
            DoorbellStack.@Nullable Bell behind = DoorbellStack.next(bell);
            Address heard = (Address) bell;
            if (heard.account != null) {
                if (heard.placedAs != heard.options) {
                    unlink(heard);
                    heard.next = oldest;
                    oldest = heard;
                }
            } else {
                heard.next = oldest;
                heard.sinceNs = nowNs;
                oldest = heard;
            }
            bell = behind;
        }
        while (oldest != null) {
            Address behind = oldest.next;
            place(oldest);
            oldest = behind;
        }
    }

    private void enqueue(Address address, long nowNs) {
        address.sinceNs = nowNs;
        place(address);
    }

    /** Puts it at the end of its account's queue. */
    private void place(Address address) {
        HandlerOptions wanted = address.options;
        Account account = account(wanted);
        address.placedAs = wanted;
        address.account = account;
        address.next = null;
        if (account.tail == null) {
            account.head = address;
            account.paid = Math.max(account.paid, account.level.paid);
        } else {
            account.tail.next = address;
        }
        account.tail = address;
        queued++;
    }

    private static Account account(Address address) {
        Account account = address.account;
        address.account = null;
        assert account != null;
        return account;
    }

    private void unlink(Address address) {
        Account account = account(address);
        if (account.head == address) {
            pop(account);
            return;
        }
        Address before = account.head;
        while (before != null && before.next != address) {
            before = before.next;
        }
        assert before != null;
        before.next = address.next;
        if (account.tail == address) {
            account.tail = before;
        }
        queued--;
    }

    private @Nullable Address pop(Account account) {
        Address first = account.head;
        if (first != null) {
            account.head = first.next;
            if (account.head == null) {
                account.tail = null;
            }
            first.next = null;
            queued--;
        }
        return first;
    }

    private @Nullable Address choose(long nowNs) {
        Account best = null;
        Account oldest = null;
        for (int i = 0; i < accounts.size(); i++) {
            Account each = accounts.get(i);
            Address head = each.head;
            if (head == null) {
                continue;
            }
            if (best == null || before(each, best)) {
                best = each;
            }
            if (oldest == null || oldest.head == null || head.sinceNs - oldest.head.sinceNs < 0) {
                oldest = each;
            }
        }
        if (best == null || oldest == null || oldest.head == null) {
            return null;
        }
        // At most every second time: patience guards against starving, it does not turn the order around.
        patienceServed = !patienceServed && oldest != best && nowNs - oldest.head.sinceNs > patienceNs;
        return pop(patienceServed ? oldest : best);
    }

    private boolean before(Account a, Account b) {
        if (policy.strictPriority() && a.priority != b.priority) {
            return a.priority > b.priority;
        }
        return a.paid - b.paid < 0;
    }

    private Account account(HandlerOptions options) {
        Level level = null;
        for (int i = 0; i < accounts.size(); i++) {
            Account each = accounts.get(i);
            boolean samePriority = each.priority == options.priority();
            if (samePriority && each.serviceClass.equals(options.serviceClass())) {
                return each;
            }
            if (samePriority || !policy.strictPriority()) {
                level = each.level;
            }
        }
        if (accounts.size() >= MOST_ACCOUNTS) {
            accounts.removeIf(each -> each.head == null);
        }
        Account added = new Account(
                options.serviceClass(),
                options.priority(),
                policy.weight(options.serviceClass()),
                level == null ? new Level() : level);
        accounts.add(added);
        return added;
    }
}
