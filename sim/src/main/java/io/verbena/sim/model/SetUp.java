package io.verbena.sim.model;

import io.verbena.sim.SimRandom;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;

/** How one side gets its connection: some attempts are refused or rejected first and then repeated. */
final class SetUp {

    private static final int MOST_PRIVATE_BYTES = 508;

    /** What the REQ and the REJ of connection management have space for. */
    private static final int MOST_REQUEST_BYTES_OF_ROCE = 56;

    private static final int MOST_REJECTION_BYTES_OF_ROCE = 148;

    /** Enough that no corruption turns the private data of one side into those of another. */
    private static final int FEWEST_PRIVATE_BYTES = 10;

    /** RFC 4861 section 10: MAX_MULTICAST_SOLICIT. */
    private static final int NEIGHBOR_TRIES = 3;

    /** The outcome of an attempt. */
    private enum Attempt {
        ACCEPTED,
        /** Nothing listens at the address. */
        REFUSED,
        /** The program rejects the request. */
        REJECTED
    }

    private final Side side;
    private final SimRandom random;
    private final byte[] privateData;
    private final byte[] farewell;
    private Attempt attempt;
    private Optional<Connection> connection = Optional.empty();
    private long lostBefore;
    private boolean stood;
    private boolean gaveUp;

    SetUp(Side side) {
        this.side = side;
        this.random = side.random();
        this.attempt = random.oneIn(10) ? Attempt.REFUSED : random.oneIn(10) ? Attempt.REJECTED : Attempt.ACCEPTED;
        boolean roce = side.world().overRoce();
        int most = roce ? MOST_REQUEST_BYTES_OF_ROCE : MOST_PRIVATE_BYTES;
        this.privateData = bytes(FEWEST_PRIVATE_BYTES + random.size(most - FEWEST_PRIVATE_BYTES));
        this.farewell = bytes(random.size(roce ? MOST_REJECTION_BYTES_OF_ROCE : MOST_PRIVATE_BYTES));
    }

    private byte[] bytes(int length) {
        byte[] bytes = new byte[length];
        for (int i = 0; i < length; i++) {
            bytes[i] = (byte) random.nextInt();
        }
        return bytes;
    }

    Optional<Connection> connection() {
        return connection;
    }

    /** Whether the connection is established now. */
    boolean open() {
        return stood && !over();
    }

    boolean stood() {
        return stood;
    }

    boolean over() {
        return gaveUp
                || connection.isPresent() && stood && connection.get().state().ended();
    }

    /** The other side has failed, and this one will never receive a request. */
    void giveUp() {
        if (!stood) {
            gaveUp = true;
        }
    }

    /** Continues the set-up. */
    void act() {
        if (stood || gaveUp) {
            return;
        }
        if (connection.isEmpty()) {
            if (side.initiates()) {
                start();
            }
            return;
        }
        Connection own = connection.get();
        ConnectionState state = own.state();
        if (state == ConnectionState.CONNECTING) {
            return;
        }
        boolean ended = state == ConnectionState.FAILED || state == ConnectionState.REJECTED;
        if (ended && !wasEstablished(own)) {
            onFailure(own);
            return;
        }
        stood = true;
        side.world().log(() -> side + " is connected");
        checkPrivateData(own.privateData(), side.peer().setUp().privateData);
        int reads = side.queuePair().query().outboundReads();
        if (side.conversation().strict() && reads > side.peer().options().inboundReads()) {
            side.fail(reads + " Reads may be outstanding, and the peer serves "
                    + side.peer().options().inboundReads());
        }
    }

    private void start() {
        try {
            side.queuePair().postSend(1, side.domain().local().region(), 0, 0, io.verbena.verbs.WrFlags.SIGNALLED);
            side.fail("a Send was taken before there was a connection");
        } catch (IllegalStateException expected) {
            // as it must be
        }
        InetSocketAddress remote = side.peer().program().address();
        if (attempt == Attempt.REFUSED) {
            remote = new InetSocketAddress(remote.getAddress(), remote.getPort() + 1);
        }
        privateData[0] = (byte) side.conversation().id();
        privateData[1] = (byte) (attempt == Attempt.REJECTED ? 1 : 0);
        lostBefore = side.world().lostNeighborMessages();
        connection = Optional.of(side.program().rnic().startConnect(side.queuePair(), remote, options()));
    }

    private ConnectionOptions options() {
        boolean oldDialect = side.conversation().oldDialect();
        return ConnectionOptions.defaults()
                .withPrivateData(privateData)
                .withRevision(oldDialect ? 1 : 2)
                .withPeerToPeer(side.conversation().peerToPeer())
                .withPaths(side.world().paths())
                .withTimeout(timeout());
    }

    /**
     * A lost SYN costs 1 s, and the first data after it 3 s and then twice as long each time (RFC 6298 section 5.7): over packets that may be
     * lost, a program that expects to be connected waits longer.
     */
    private Duration timeout() {
        Duration usual = Duration.ofSeconds(random.between(3, 8));
        return side.world().losesPackets() ? usual.multipliedBy(30) : usual;
    }

    /** Whether these are the private data of this side's request. */
    boolean says(byte[] data) {
        return Arrays.equals(data, privateData);
    }

    /** A request of the peer: accepts or rejects it. */
    void onRequest(ConnectionRequest request) {
        checkPrivateData(request.privateData(), side.peer().setUp().privateData);
        boolean reject = request.privateData()[1] == 1;
        if (reject) {
            request.reject(farewell);
        } else if (connection.isEmpty()) {
            connection = Optional.of(request.startAccept(side.queuePair(), options()));
        } else {
            side.conversation().rough("it was requested twice");
            request.reject(farewell);
        }
    }

    private void checkPrivateData(byte[] actual, byte[] expected) {
        if (side.conversation().strict() && !Arrays.equals(actual, expected)) {
            side.fail("private data of " + actual.length + " bytes arrived, and these are not the " + expected.length
                    + " that were sent");
        }
    }

    private void onFailure(Connection failed) {
        ConnectionException reason = reasonOf(failed);
        side.world().log(() -> side + " is not connected: " + reason.kind() + " " + reason.getMessage());
        ConnectionException.Kind expected = switch (attempt) {
            case ACCEPTED -> ConnectionException.Kind.FAILED;
            case REFUSED -> ConnectionException.Kind.REFUSED;
            case REJECTED -> ConnectionException.Kind.REJECTED;
        };
        boolean planned = side.initiates() && attempt != Attempt.ACCEPTED && reason.kind() == expected;
        if (!planned && notFound(reason)) {
            connection = Optional.empty(); // once more, as programs do
            return;
        }
        if (!planned) {
            if (side.conversation().strict()) {
                side.fail("no connection: " + reason.kind() + ", " + reason.getMessage());
            }
            side.conversation().rough("it was not set up");
            gaveUp = true;
            side.peer().setUp().giveUp();
            return;
        }
        if (attempt == Attempt.REJECTED) {
            checkPrivateData(reason.privateData(), side.peer().setUp().farewell);
        }
        attempt = Attempt.ACCEPTED;
        connection = Optional.empty();
    }

    /** Whether the peer can be one that was not found on its link, because the messages that ask for it were lost. */
    private boolean notFound(ConnectionException reason) {
        return side.initiates()
                && reason.kind() == ConnectionException.Kind.FAILED
                && side.world().lostNeighborMessages() - lostBefore >= NEIGHBOR_TRIES;
    }

    /** Whether the connection has ended only after it was established, before the program has looked. */
    private static boolean wasEstablished(Connection ended) {
        try {
            ended.awaitEstablished(Duration.ZERO);
            return true;
        } catch (ConnectionException e) {
            return false;
        }
    }

    private ConnectionException reasonOf(Connection failed) {
        try {
            failed.awaitEstablished(Duration.ZERO);
        } catch (ConnectionException e) {
            if (e.getMessage() == null || e.getMessage().isBlank()) {
                side.fail("no connection, and no reason");
            }
            return e;
        }
        side.fail("the connection has failed, but awaitEstablished returned");
        throw new AssertionError();
    }
}
