package io.verbena.rnic.ib;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.rnic.ManualWorld;
import io.verbena.rnic.Pair;
import io.verbena.rnic.SoftRnic;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.ConnectionState;
import io.verbena.verbs.Listener;
import io.verbena.verbs.WrFlags;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * The host of a peer loses its power and starts again with the same address, in each state of connection management. This side ends
 * what belonged to the former life of the peer, and connects to the new one in both directions.
 */
class RoceRestartStatesTest {

    private static final Duration SECOND = Pair.SECOND;

    /** What this side may need to learn that the peer has forgotten the connection: all retries of work, or of a message. */
    private static final long LONGEST_NS = 10_000_000_000L;

    private static final int UD_SEND_ONLY = 0x64;
    private static final int REQ = 0x10;
    private static final int RTU = 0x14;
    private static final int DREQ = 0x15;

    private final ManualWorld world = ManualWorld.roce();
    private final Pair pair = new Pair(world);

    @AfterEach
    void close() {
        world.close();
    }

    /** The state of the connection at this side when the peer loses its power. */
    enum Moment {
        REQ_SENT,
        REQ_RCVD,
        REP_SENT,
        REP_RCVD,
        ESTABLISHED_ACTIVE,
        ESTABLISHED_PASSIVE,
        DREQ_SENT,
        TIMEWAIT
    }

    private void lose(int attribute) {
        world.packets.holds = carries(attribute);
    }

    private static Predicate<byte[]> carries(int attribute) {
        return packet ->
                (packet[0] & 0xff) == UD_SEND_ONLY && packet[7] == 1 && packet[36] == 0 && packet[37] == attribute;
    }

    private Connection dial(Pair.Side from, Listener to) {
        return from.rnic.startConnect(from.queuePair, to.localAddress(), ConnectionOptions.defaults());
    }

    /** Brings this side to a state; returns its connection, or nothing if the application has only a request. */
    private Optional<Connection> reach(Moment moment, Listener here, Listener there) throws IOException {
        return switch (moment) {
            case REQ_SENT -> {
                lose(REQ);
                Connection connection = dial(pair.b, there);
                world.settle();
                yield Optional.of(connection);
            }
            case REQ_RCVD -> {
                dial(pair.a, here);
                world.settle();
                yield Optional.empty();
            }
            case REP_SENT -> {
                lose(RTU);
                dial(pair.a, here);
                yield Optional.of(accept(here, pair.b));
            }
            case REP_RCVD -> {
                Connection connection = dial(pair.b, there);
                lose(RTU);
                accept(there, pair.a);
                yield Optional.of(connection);
            }
            case ESTABLISHED_ACTIVE -> {
                Connection connection = dial(pair.b, there);
                accept(there, pair.a);
                yield Optional.of(connection);
            }
            case ESTABLISHED_PASSIVE -> {
                dial(pair.a, here);
                yield Optional.of(accept(here, pair.b));
            }
            case DREQ_SENT -> {
                dial(pair.a, here);
                Connection connection = accept(here, pair.b);
                lose(DREQ);
                connection.disconnect();
                world.settle();
                assertEquals(ConnectionState.CLOSING, connection.state());
                yield Optional.of(connection);
            }
            case TIMEWAIT -> {
                dial(pair.a, here);
                Connection connection = accept(here, pair.b);
                connection.disconnect();
                world.settle();
                assertEquals(ConnectionState.CLOSED, connection.state());
                yield Optional.of(connection);
            }
        };
    }

    private Connection accept(Listener at, Pair.Side by) {
        ConnectionRequest request = at.nextRequest(SECOND).orElseThrow();
        Connection accepted = request.startAccept(by.queuePair, ConnectionOptions.defaults());
        world.settle();
        return accepted;
    }

    @ParameterizedTest
    @EnumSource(Moment.class)
    void peerRestarts_inThisState_isForgotten_andConnectsAgain(Moment moment) throws IOException {
        try (Listener here = pair.b.rnic.listen(world.address())) {
            Optional<Connection> own;
            try (Listener there = pair.a.rnic.listen(world.address())) {
                own = reach(moment, here, there);
            }
            SoftRnic restarted = world.restarted(pair.a.rnic, 1);
            world.packets.holds = packet -> false;
            Connection old = own.orElseGet(() -> accept(here, pair.b));
            if (!old.state().ended() && pair.b.queuePair.state().maySend()) {
                pair.b.queuePair.postSend(1, pair.b.memory, 0, 8, WrFlags.SIGNALLED);
            }
            assertTrue(world.await(() -> old.state().ended(), LONGEST_NS), old::toString);
            for (int i = 0; i < 2; i++) {
                Pair.Side reborn = new Pair.Side(restarted, 64, options -> options);
                Pair.Side fresh = new Pair.Side(pair.b.rnic, 64, options -> options);
                boolean peerAsks = i == 0;
                Pair.connect(world, peerAsks ? reborn : fresh, peerAsks ? fresh : reborn);
                exchange(reborn, fresh);
                exchange(fresh, reborn);
            }
        }
    }

    /** Messages of the former life that the network delivers late do not affect a connection of the new one. */
    @ParameterizedTest
    @EnumSource(
            value = Moment.class,
            names = {"REQ_SENT", "REP_SENT", "REP_RCVD", "DREQ_SENT"})
    void peerRestarts_itsFormerMessagesArriveLate_newConnectionIsNotAffected(Moment moment) throws IOException {
        try (Listener here = pair.b.rnic.listen(world.address())) {
            Listener there = pair.a.rnic.listen(world.address());
            Connection old = reach(moment, here, there).orElseThrow();
            there.close();
            SoftRnic restarted = world.restarted(pair.a.rnic, 1);
            world.packets.holds = packet -> false;
            Pair.Side reborn = new Pair.Side(restarted, 64, options -> options);
            Pair.Side fresh = new Pair.Side(pair.b.rnic, 64, options -> options);
            Pair.connect(world, reborn, fresh);
            world.packets.release();
            world.settle();
            exchange(reborn, fresh);
            if (!old.state().ended() && pair.b.queuePair.state().maySend()) {
                pair.b.queuePair.postSend(1, pair.b.memory, 0, 8, WrFlags.SIGNALLED);
            }
            assertTrue(world.await(() -> old.state().ended(), LONGEST_NS), old::toString);
            exchange(fresh, reborn);
        }
    }

    private void exchange(Pair.Side from, Pair.Side to) {
        to.queuePair.postReceive(3, to.memory, 0, 64);
        from.queuePair.postSend(4, from.memory, 0, 64, WrFlags.SIGNALLED);
        world.settle();
        assertEquals(List.of("4 SUCCESS"), from.polled());
        assertEquals(List.of("3 SUCCESS"), to.polled());
    }
}
