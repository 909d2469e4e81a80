package io.verbena.tools.perf;

import io.verbena.base.Times;
import io.verbena.text.AddressText;
import io.verbena.tools.base.ConnectionLost;
import io.verbena.tools.base.Failure;
import io.verbena.tools.base.StopSignal;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.Progress;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Consumer;

/** The side that is measured against: one client at a time, each with a protection domain of its own. */
public final class PerfServer {

    private static final Duration SLICE = Duration.ofMillis(200);

    private final Rnic rnic;
    private final RnicOptions options;
    private final ConnectionOptions connection;
    private final Optional<byte[]> token;
    private final Consumer<String> log;
    private final StopSignal stop;
    private final SecureRandom random = new SecureRandom();
    private long clients;
    private long runs;

    /**
     * A server.
     *
     * @param options what the RNIC was opened with
     * @param connection what to accept with; its time-out is also how long a client may do nothing in a run
     * @param token the secret of clients; empty to serve any client
     * @param log receives a line for each client that connects or disconnects
     */
    public PerfServer(
            Rnic rnic,
            RnicOptions options,
            ConnectionOptions connection,
            Optional<byte[]> token,
            Consumer<String> log,
            StopSignal stop) {
        this.rnic = rnic;
        this.options = options;
        this.connection = connection;
        this.token = token;
        this.log = log;
        this.stop = stop;
    }

    /** Clients that came and were let in. */
    public long clients() {
        return clients;
    }

    /** Runs that were completed, warm-ups included. */
    public long runs() {
        return runs;
    }

    /** Serves until the user wants to stop. */
    public void serve(Listener listener) {
        while (!stop.raised()) {
            listener.nextRequest(SLICE).ifPresent(request -> serve(listener, request));
        }
    }

    private void serve(Listener listener, ConnectionRequest request) {
        String who = name(request.remoteAddress());
        PerfSession session;
        PerfMessage.Open open;
        try {
            open = admit(request);
            session = new PerfSession(rnic, options.progress(), open, connection.timeout(), stop);
        } catch (Failure e) {
            refuse(request, who, String.valueOf(e.getMessage()));
            return;
        } catch (OutOfMemoryError e) {
            refuse(request, who, "The server has not enough memory for this session");
            return;
        }
        long before = runs;
        try (session) {
            clients++;
            join(listener, request, session, open);
            log.accept(who + " connected, with " + open.queuePairs() + " connection(s).");
            serve(session);
        } catch (ConnectionLost e) {
            log.accept(who + " disconnected after " + (runs - before) + " run(s).");
        } catch (Failure | ConnectionException e) {
            log.accept(who + " failed after " + (runs - before) + " run(s): " + e.getMessage());
        } catch (StopSignal.Stopped e) {
            log.accept(who + " was disconnected after " + (runs - before) + " run(s).");
        }
    }

    private PerfMessage.Open admit(ConnectionRequest request) throws Failure {
        if (!(PerfMessage.read(request.privateData()) instanceof PerfMessage.Open open)) {
            throw new Failure("A session begins with a control connection; another client may be connected already");
        }
        if (token.isPresent() && !MessageDigest.isEqual(token.get(), open.token())) {
            throw new Failure("This server serves only the process that started it");
        }
        long bytes = PerfSettings.memoryBytes(open.maxBytes(), open.queuePairs());
        if (bytes > PerfSettings.MOST_MEMORY) {
            throw new Failure("This session needs " + bytes + " bytes of memory at the server, and the limit is "
                    + PerfSettings.MOST_MEMORY + ": use a smaller --size or fewer --qps");
        }
        if ((long) open.queuePairs() * PerfLink.completions(open.depth()) + PerfSession.CONTROL_COMPLETIONS
                > rnic.query().maxCompletionEntries()) {
            throw new Failure(
                    "This session needs too many completion queue entries: use a smaller --depth or fewer --qps");
        }
        return open;
    }

    private void refuse(ConnectionRequest request, String who, String sentence) {
        request.reject(PerfMessage.bytes(new PerfMessage.Problem(sentence)));
        log.accept(who + " was refused: " + sentence);
    }

    /** Accepts the control connection and then the other connections of the session; rejects all others. */
    private void join(Listener listener, ConnectionRequest control, PerfSession session, PerfMessage.Open open)
            throws ConnectionException, Failure {
        long id = random.nextLong();
        boolean inline = options.progress() == Progress.INLINE;
        PerfMessage.Opened opened = new PerfMessage.Opened(
                id, inline, options.iwarp().crc(), options.iwarp().markers());
        control.accept(session.control(), connection.withPrivateData(PerfMessage.bytes(opened)));
        long deadlineNs = System.nanoTime() + Times.nanos(connection.timeout());
        boolean[] joined = new boolean[open.queuePairs()];
        for (int count = 0; count < joined.length; ) {
            Optional<ConnectionRequest> request = listener.nextRequest(SLICE);
            stop.check();
            session.poll("the client's connections"); // it may have left
            if (request.isPresent() && join(request.get(), session, id, joined)) {
                count++;
                deadlineNs = System.nanoTime() + Times.nanos(connection.timeout());
            } else if (System.nanoTime() - deadlineNs > 0) {
                throw new Failure("only " + count + " of its connections came");
            }
        }
    }

    private boolean join(ConnectionRequest request, PerfSession session, long id, boolean[] joined)
            throws ConnectionException {
        try {
            if (PerfMessage.read(request.privateData()) instanceof PerfMessage.Join(long of, int index, var memory)
                    && of == id
                    && index < joined.length
                    && !joined[index]) {
                PerfLink link = session.links()[index];
                link.remote(memory);
                byte[] answer = PerfMessage.bytes(new PerfMessage.Joined(link.region()));
                request.accept(link.queuePair(), connection.withPrivateData(answer));
                joined[index] = true;
                return true;
            }
            refuse(request, name(request.remoteAddress()), "Another client is being served; try again later");
        } catch (Failure e) {
            refuse(request, name(request.remoteAddress()), String.valueOf(e.getMessage()));
        }
        return false;
    }

    private void serve(PerfSession session) throws Failure {
        while (true) {
            PerfMessage.Start start =
                    session.await(PerfMessage.Start.class, "the client's next run", connection.timeout());
            for (PerfLink link : session.links()) {
                if (!link.holds(start.sizeBytes())) {
                    session.send(new PerfMessage.Problem("The run's messages are larger than announced"));
                    throw new Failure("the messages of the client are larger than announced");
                }
                link.clearFlag(start.sizeBytes());
            }
            ServerLoop loop = new ServerLoop(session, start, connection.timeout());
            session.send(new PerfMessage.Ready());
            CpuTime.Span span = CpuTime.begin();
            loop.serve();
            span.end();
            session.await(PerfMessage.End.class, "the end of the run", connection.timeout());
            session.send(new PerfMessage.Result(span.usedNs(), span.compilerNs(), loop.messages()));
            runs++;
        }
    }

    private static String name(SocketAddress address) {
        return address instanceof InetSocketAddress inet ? AddressText.ofIp(inet) : address.toString();
    }
}
