package io.verbena.host.segment;

import io.verbena.base.Times;
import io.verbena.memory.vmm.SharedSegments.Offered;
import io.verbena.verbs.SegmentOfferOptions;
import io.verbena.verbs.SegmentToken;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/**
 * An offer of a segment to other processes, at the side of its owner: a listening socket, connections that have not sent
 * their request, and one connection for each process that has the memory. Guarded by the monitor of the loop.
 */
final class SegmentOffering implements Offered {

    /** Connections without a request. The oldest is closed for a new one. */
    private static final int MOST_SILENT = 16;

    private final SegmentLoop loop;
    private final SharedSegment memory;
    private final SegmentToken token;
    private final SegmentOfferOptions options;
    private final SegmentSocket listener;
    private final int user;
    private final long createdNs = System.nanoTime();
    private final ArrayDeque<Connection> silent = new ArrayDeque<>();
    private final List<Connection> open = new ArrayList<>();
    private long listening;
    private int openings;
    private boolean ended;

    private SegmentOffering(
            SegmentLoop loop, SharedSegment memory, SegmentToken token, SegmentOfferOptions options, int user)
            throws IOException {
        this.loop = loop;
        this.memory = memory;
        this.token = token;
        this.options = options;
        this.user = user;
        listener = SegmentSocket.listen(token.name());
    }

    /** Listens from now on. */
    static SegmentOffering of(
            SegmentLoop loop, SharedSegment memory, SegmentToken token, SegmentOfferOptions options, int user)
            throws IOException {
        SegmentOffering segmentOffering = new SegmentOffering(loop, memory, token, options, user);
        synchronized (loop) {
            boolean done = false;
            try {
                segmentOffering.listening =
                        loop.watchListener(segmentOffering.listener.fd(), segmentOffering::acceptAll);
                done = true;
            } finally {
                if (!done) {
                    segmentOffering.listener.close();
                }
            }
        }
        return segmentOffering;
    }

    /** One process at the other end. */
    private final class Connection {
        private final SegmentSocket socket;
        private final int process;
        private final long watch;

        Connection(SegmentSocket socket, int process) throws IOException {
            this.socket = socket;
            this.process = process;
            watch = loop.watch(socket.fd(), this::ready);
        }

        private void ready() {
            try {
                Optional<SegmentSocket.Message> message = socket.receive();
                if (message.isEmpty()) {
                    return;
                }
                SegmentSocket.closeDescriptor(message.get().memory());
                if (silent.remove(this) && answered(this, message.get())) {
                    open.add(this);
                    return;
                }
            } catch (IOException e) {
                // It has ended, or sends what it must not.
            }
            close();
        }

        void close() {
            loop.unwatch(watch);
            socket.close();
            silent.remove(this);
            open.remove(this);
            loop.notifyAll();
        }
    }

    private void acceptAll() {
        Optional<SegmentSocket> next = listener.accept();
        while (next.isPresent()) {
            accepted(next.get());
            next = listener.accept();
        }
    }

    private void accepted(SegmentSocket socket) {
        boolean kept = false;
        try {
            SegmentSocket.Peer peer = socket.peer();
            if (peer.user() != user) {
                socket.answer(SegmentSocket.OTHER_USER, 0, SegmentSocket.NO_MEMORY);
                return;
            }
            if (silent.size() == MOST_SILENT) {
                silent.getFirst().close();
            }
            silent.addLast(new Connection(socket, peer.process()));
            kept = true;
        } catch (IOException | RuntimeException | Error e) {
            // No descriptor or memory for it: it may try again.
        } finally {
            if (!kept) {
                socket.close();
            }
        }
    }

    /** Answers a request. Returns whether the process has the memory now. */
    private boolean answered(Connection from, SegmentSocket.Message request) {
        int outcome = outcome(request);
        if (outcome == SegmentSocket.OPENED) {
            try {
                if (memory.send(from.socket, options.writable())) {
                    openings++;
                    return true;
                }
                return false; // it has ended already
            } catch (IOException e) {
                outcome = SegmentSocket.NO_RESOURCES;
            }
        }
        from.socket.answer(outcome, 0, SegmentSocket.NO_MEMORY);
        return false;
    }

    private int outcome(SegmentSocket.Message request) {
        // All bits of both halves at once, so that the time does not tell how many are right.
        if (((request.first() ^ token.secretHigh()) | (request.second() ^ token.secretLow())) != 0) {
            return SegmentSocket.WRONG_SECRET;
        }
        if (request.third() != 0 && !options.writable()) {
            return SegmentSocket.READ_ONLY;
        }
        if (openings == options.maxOpenings()) {
            return SegmentSocket.USED_UP;
        }
        return System.nanoTime() - createdNs >= Times.nanos(options.lifetime())
                ? SegmentSocket.EXPIRED
                : SegmentSocket.OPENED;
    }

    @Override
    public SegmentToken token() {
        return token;
    }

    @Override
    public List<Long> processes() {
        synchronized (loop) {
            return open.stream().map(each -> (long) each.process).toList();
        }
    }

    @Override
    public boolean end(long timeoutNs) {
        long deadlineNs = System.nanoTime() + timeoutNs;
        boolean interrupted = false;
        synchronized (loop) {
            revoke();
            while (!open.isEmpty()) {
                long leftNs = deadlineNs - System.nanoTime();
                if (leftNs <= 0) {
                    break;
                }
                try {
                    TimeUnit.NANOSECONDS.timedWait(loop, Math.max(leftNs, 1_000_000));
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
            return open.isEmpty();
        }
    }

    private void revoke() {
        if (ended) {
            return;
        }
        ended = true;
        loop.unwatch(listening);
        listener.close();
        List.copyOf(silent).forEach(Connection::close);
        // A message that cannot be sent is for a process that has ended.
        open.forEach(each -> each.socket.answer(SegmentSocket.REVOKED, 0, SegmentSocket.NO_MEMORY));
    }

    /** Whether the offer has ended and no process has the memory any more. */
    boolean over() {
        synchronized (loop) {
            return ended && open.isEmpty();
        }
    }

    /** Ends the offer without waiting: the memory is gone here, and processes that have it still do not respond. */
    void abandon() {
        synchronized (loop) {
            revoke();
            List.copyOf(open).forEach(Connection::close);
        }
    }
}
