package io.verbena.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Turns of an engine, call by call, with explicit time. */
class RnicEngineTest {

    private static final long MS = 1_000_000;
    private static final String INTERNAL =
            "An internal error ended the connection: java.lang.AssertionError: on purpose";
    private static final String FAILED = "Engine 3 of the RNIC has failed: java.lang.AssertionError: on purpose.";

    private final FakeHost host = new FakeHost();
    private final List<String> log = new ArrayList<>();
    private final RnicEngine engine =
            new RnicEngine(3, host, (which, why) -> log.add("failed " + which.index() + " " + why));

    private RecordingEndpoint joined(String name) {
        RecordingEndpoint recordingEndpoint = new RecordingEndpoint(name, log);
        engine.join(recordingEndpoint);
        return recordingEndpoint;
    }

    private List<String> logged() {
        List<String> taken = List.copyOf(log);
        log.clear();
        return taken;
    }

    // The order of a turn.

    @Test
    void idleEngine_turn_doesNothing() {
        joined("a");
        assertFalse(engine.hasWork());
        assertEquals(0, engine.turn(5));
        assertEquals(List.of(), logged());
        assertEquals(Endpoint.NEVER, engine.nextDeadlineNs());
        assertEquals(1, engine.members());
    }

    @Test
    void everyKindOfWork_turn_takesCommandsThenBellsThenDeadlinesThenReady() {
        RecordingEndpoint ready = joined("ready");
        RecordingEndpoint rung = joined("rung");
        RecordingEndpoint late = joined("late");
        RecordingEndpoint waiting = joined("waiting");
        engine.ready(ready);
        engine.deadline(late, 100);
        engine.awaitMemory(waiting);
        engine.memoryCame();
        engine.ring(rung);
        engine.submit(() -> log.add("command"));
        assertEquals(List.of("nudge 3", "wake 3", "wake 3"), host.takeCalls());
        // One command, one bell, one deadline, one that waited for memory, and three that are served.
        assertEquals(7, engine.turn(100));
        assertEquals(
                List.of(
                        "command",
                        "rung doorbell",
                        "late deadline at 100",
                        "ready served at 100",
                        "late served at 100",
                        "waiting served at 100"),
                logged());
        assertEquals(0, engine.turn(101));
    }

    @Test
    void hasWork_eachKind_untilTheTurn() {
        RecordingEndpoint endpoint = joined("a");
        engine.ready(endpoint);
        assertTrue(engine.hasWork());
        engine.turn(0);
        assertFalse(engine.hasWork());
        engine.ring(endpoint);
        assertTrue(engine.hasWork());
        engine.turn(0);
        assertFalse(engine.hasWork());
        engine.submit(() -> {});
        assertTrue(engine.hasWork());
        engine.turn(0);
        assertFalse(engine.hasWork());
        engine.memoryCame();
        assertTrue(engine.hasWork());
        engine.turn(0);
        assertFalse(engine.hasWork());
    }

    @Test
    void endpointThatIsReadyAgainWhileServed_waitsForTheNextTurn() {
        RecordingEndpoint greedy = joined("greedy");
        greedy.onService = () -> engine.ready(greedy);
        RecordingEndpoint other = joined("other");
        engine.ready(greedy);
        engine.ready(other);
        assertEquals(2, engine.turn(1));
        assertEquals(List.of("greedy served at 1", "other served at 1"), logged());
        assertTrue(engine.hasWork());
        assertEquals(1, engine.turn(2));
        assertEquals(List.of("greedy served at 2"), logged());
    }

    @Test
    void manyCommands_turn_runsAtMost1024() {
        int[] ran = {0};
        for (int i = 0; i < 1500; i++) {
            engine.submit(() -> ran[0]++);
        }
        assertEquals(1024, engine.turn(0));
        assertEquals(1024, ran[0]);
        assertTrue(engine.hasWork());
        assertEquals(476, engine.turn(0));
        assertEquals(1500, ran[0]);
    }

    @Test
    void turn_insideATurn_isABug() {
        RecordingEndpoint endpoint = joined("a");
        boolean[] inside = new boolean[1];
        endpoint.onService = () -> {
            inside[0] = engine.insideOnThisThread();
            assertThrows(AssertionError.class, () -> engine.turn(9));
        };
        engine.ready(endpoint);
        engine.turn(0);
        assertTrue(inside[0]);
        assertFalse(engine.insideOnThisThread());
        assertEquals(List.of("a served at 0"), logged());
        assertEquals(0, engine.turn(1), "the engine is outside again");
    }

    // Doorbells.

    @Test
    void ring_untilItIsAnswered_wakesOnce() {
        RecordingEndpoint endpoint = joined("a");
        engine.ring(endpoint);
        engine.ring(endpoint);
        assertEquals(List.of("wake 3"), host.takeCalls());
        assertEquals(1, engine.turn(0));
        assertEquals(List.of("a doorbell"), logged());
        engine.ring(endpoint);
        assertEquals(List.of("wake 3"), host.takeCalls());
    }

    @Test
    void ring_byTheThreadThatDrives_needsNoDoorbell_butAlwaysADrive() {
        host.held = true;
        RecordingEndpoint endpoint = joined("a");
        endpoint.answersItself = true;
        engine.ring(endpoint);
        assertEquals(List.of("a own doorbell"), logged());
        assertEquals(List.of("wake 3"), host.takeCalls());
        assertFalse(engine.hasWork());
        // Work that needs a turn: the bell is rung too. A second ring finds it rung, and the hold must end
        // nevertheless.
        endpoint.answersItself = false;
        engine.ring(endpoint);
        engine.ring(endpoint);
        assertEquals(List.of("wake 3", "wake 3"), host.takeCalls());
        assertEquals(1, engine.turn(0));
        assertEquals(List.of("a own doorbell", "a own doorbell", "a doorbell"), logged());
    }

    // Deadlines.

    @Test
    void deadline_oneNanosecondEarly_doesNotPass() {
        RecordingEndpoint endpoint = joined("a");
        engine.deadline(endpoint, 1000);
        assertEquals(1000, engine.nextDeadlineNs());
        assertEquals(0, engine.turn(999));
        assertEquals(2, engine.turn(1000));
        assertEquals(List.of("a deadline at 1000", "a served at 1000"), logged());
        assertEquals(Endpoint.NEVER, engine.nextDeadlineNs());
    }

    @Test
    void deadline_setInThePastByItsOwnPassing_waitsForTheNextTurn() {
        RecordingEndpoint endpoint = joined("a");
        endpoint.onDeadline = () -> engine.deadline(endpoint, 1);
        engine.deadline(endpoint, 1);
        assertEquals(2, engine.turn(10));
        assertEquals(List.of("a deadline at 10", "a served at 10"), logged());
        assertEquals(2, engine.turn(11));
    }

    @Test
    void deadline_ofOneThatIsNotServedHere_isIgnored() {
        RecordingEndpoint stranger = new RecordingEndpoint("stranger", log);
        engine.deadline(stranger, 5);
        engine.ready(stranger);
        assertEquals(Endpoint.NEVER, engine.nextDeadlineNs());
        assertEquals(0, engine.turn(10));
    }

    // Memory that is fetched.

    @Test
    void endpointsThatWaitForMemory_areServedWhenSomeCame_once() {
        RecordingEndpoint endpoint = joined("a");
        engine.awaitMemory(endpoint);
        engine.awaitMemory(endpoint);
        assertEquals(0, engine.turn(0));
        engine.memoryCame();
        assertEquals(List.of("nudge 3"), host.takeCalls());
        assertEquals(2, engine.turn(1), "one that waited, one that is served");
        assertEquals(List.of("a served at 1"), logged());
        engine.memoryCame();
        assertEquals(0, engine.turn(2));
        engine.awaitMemory(endpoint);
        engine.memoryCame();
        assertEquals(2, engine.turn(3), "it can wait again");
    }

    // Members.

    @Test
    void leave_fromTheMiddle_theOthersStay() {
        List<RecordingEndpoint> all = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            all.add(joined("e" + i));
            engine.deadline(all.get(i), 100 + i);
        }
        engine.leave(all.get(1));
        engine.leave(all.get(1));
        assertEquals(4, engine.members());
        engine.leave(all.get(4));
        engine.leave(all.get(0));
        assertEquals(2, engine.members());
        assertEquals(102, engine.nextDeadlineNs());
        engine.ready(all.get(1));
        all.forEach(engine::ready);
        assertEquals(2, engine.turn(0));
        assertEquals(List.of("e2 served at 0", "e3 served at 0"), logged());
        engine.leave(all.get(3));
        engine.leave(all.get(2));
        assertEquals(0, engine.members());
        engine.join(all.get(1));
        engine.ready(all.get(1));
        assertEquals(1, engine.turn(0));
    }

    @Test
    void join_twice_isABug() {
        RecordingEndpoint endpoint = joined("a");
        assertThrows(AssertionError.class, () -> engine.join(endpoint));
    }

    // Containment.

    @ParameterizedTest
    @ValueSource(strings = {"service", "deadline", "doorbell"})
    void endpointThrows_itEnds_andTheOthersAreServed(String call) {
        RecordingEndpoint bad = joined("bad");
        RecordingEndpoint good = joined("good");
        host.nowNs = 7;
        bad.failing = call;
        if (call.equals("service")) {
            engine.ready(bad);
            engine.ready(good);
        } else if (call.equals("deadline")) {
            engine.deadline(bad, 1);
            engine.deadline(good, 2);
        } else {
            engine.ring(good);
            engine.ring(bad);
        }
        engine.turn(7);
        List<String> all = logged();
        assertTrue(all.contains("bad ended at 7: " + INTERNAL), all.toString());
        assertTrue(all.stream().anyMatch(each -> each.startsWith("good ")), all.toString());
        assertFalse(engine.failed());
        assertEquals(2, engine.members(), "it leaves when it is ready to");
    }

    @Test
    void commandThrows_theNextOneRuns() {
        engine.submit(() -> {
            throw new AssertionError("on purpose");
        });
        engine.submit(() -> log.add("next"));
        assertEquals(2, engine.turn(0));
        assertEquals(List.of("next"), logged());
        assertFalse(engine.failed());
    }

    @Test
    void endpointCannotBeEnded_theEngineFails_andGoesOnWithCommandsAndFlushes() {
        RecordingEndpoint bad = joined("bad");
        RecordingEndpoint other = joined("other");
        host.nowNs = 50;
        bad.failing = "bug";
        bad.onService = () -> {
            throw new AssertionError("on purpose");
        };
        engine.ready(bad);
        engine.ready(other);
        engine.awaitMemory(other);
        assertEquals(1, engine.turn(40));
        assertTrue(engine.failed());
        List<String> all = logged();
        assertTrue(all.contains("other ended at 50: " + FAILED), all.toString());
        assertEquals("failed 3 " + FAILED, all.getLast());
        assertEquals(0, engine.members());
        assertFalse(engine.hasWork());
        assertFalse(engine.insideOnThisThread());

        // Endpoints that join it end at once; commands run, bells are answered, flushes are tried again.
        RecordingEndpoint late = joined("late");
        engine.ready(late);
        engine.ring(other);
        engine.submit(() -> log.add("command"));
        other.flushes = true;
        engine.starve(other);
        assertEquals(3, engine.turn(60));
        assertEquals(List.of("command", "other doorbell", "late ended at 50: " + FAILED, "other flush"), logged());
        assertEquals(0, engine.members());
        assertEquals(0, engine.turn(61));
        assertFalse(engine.onFailure(new AssertionError("again")));
        assertEquals(List.of(), logged());
    }

    @Test
    void loopFails_endpointsEnd_andItIsReportedOnce() {
        joined("first");
        joined("second");
        assertTrue(engine.onFailure(new AssertionError("on purpose")));
        assertEquals(
                List.of("second ended at 0: " + FAILED, "first ended at 0: " + FAILED, "failed 3 " + FAILED), logged());
        assertFalse(engine.insideOnThisThread());
        assertFalse(engine.onFailure(new AssertionError("on purpose")));
        assertEquals(List.of(), logged());
        assertEquals(0, engine.turn(1));
    }

    // Queue pairs whose CQ is full.

    @Test
    void starvingEndpoint_isTriedInEveryTurn_andWakesTheEngineMoreAndMoreRarely() {
        RecordingEndpoint endpoint = joined("a");
        host.nowNs = 10;
        engine.starve(endpoint);
        engine.starve(endpoint);
        assertEquals(10 + MS, engine.nextDeadlineNs());
        assertEquals(0, engine.turn(20));
        assertEquals(List.of("a flush"), logged());
        assertEquals(10 + MS, engine.nextDeadlineNs(), "a turn for another reason does not postpone it");
        long nowNs = 10 + MS;
        for (long delayNs : new long[] {2 * MS, 4 * MS, 8 * MS, 16 * MS, 32 * MS, 64 * MS, 64 * MS}) {
            assertEquals(0, engine.turn(nowNs));
            assertEquals(nowNs + delayNs, engine.nextDeadlineNs());
            nowNs = engine.nextDeadlineNs();
        }
        endpoint.flushes = true;
        assertEquals(1, engine.turn(nowNs));
        assertEquals(Endpoint.NEVER, engine.nextDeadlineNs());
        logged();
        assertEquals(0, engine.turn(nowNs + 1));
        assertEquals(List.of(), logged());
    }

    @Test
    void oneOfTwoStarvingEndpoints_gotRoom_theOtherIsTriedSoon() {
        RecordingEndpoint first = joined("first");
        RecordingEndpoint second = joined("second");
        engine.starve(first);
        engine.starve(second);
        engine.turn(MS);
        engine.turn(3 * MS);
        assertEquals(7 * MS, engine.nextDeadlineNs());
        second.flushes = true;
        assertEquals(1, engine.turn(4 * MS));
        assertEquals(5 * MS, engine.nextDeadlineNs());
        logged();
        engine.turn(5 * MS);
        assertEquals(List.of("first flush"), logged());
        assertEquals(7 * MS, engine.nextDeadlineNs());
    }

    @Test
    void starvingEndpoint_andADeadline_theEarlierOneCounts() {
        RecordingEndpoint endpoint = joined("a");
        host.nowNs = Long.MAX_VALUE - 5; // the clock wraps around before the retry
        engine.starve(endpoint);
        long retryNs = host.nowNs + MS;
        engine.deadline(endpoint, retryNs - 1);
        assertEquals(retryNs - 1, engine.nextDeadlineNs());
        engine.deadline(endpoint, retryNs + 1);
        assertEquals(retryNs, engine.nextDeadlineNs());
    }

    @Test
    void flushThrows_theEndpointEnds_andIsNotTriedAgain() {
        RecordingEndpoint bad = joined("bad");
        RecordingEndpoint good = joined("good");
        bad.failing = "flush";
        good.flushes = true;
        engine.starve(good);
        engine.starve(bad);
        host.nowNs = 9;
        assertEquals(2, engine.turn(5));
        assertEquals(List.of("bad flush", "bad ended at 9: " + INTERNAL, "good flush"), logged());
        assertEquals(Endpoint.NEVER, engine.nextDeadlineNs());
    }

    // The end.

    @Test
    void shutDown_runsWhatWasSubmitted_andEndsEveryEndpoint() {
        RecordingEndpoint bad = joined("bad");
        RecordingEndpoint good = joined("good");
        bad.failing = "bug";
        host.nowNs = 8;
        engine.starve(good);
        engine.awaitMemory(good);
        engine.submit(() -> log.add("command"));
        engine.shutDown("closed.");
        assertEquals(List.of("command", "bad ended at 8: closed.", "good ended at 8: closed."), logged());
        assertEquals(Endpoint.NEVER, engine.nextDeadlineNs());
        assertFalse(engine.hasWork());
        engine.memoryCame();
        assertEquals(0, engine.turn(9), "none waits for memory");
        for (int i = 0; i < 1025; i++) {
            engine.submit(() -> {});
        }
        engine.shutDown("closed.");
        assertFalse(engine.hasWork(), "commands that did not run are dropped");
    }

    // What it lends, and its digest.

    @Test
    void figures_areThoseOfTheHost() {
        host.nowNs = 77;
        assertEquals(3, engine.index());
        assertEquals(77, engine.nowNs());
        assertEquals(4, engine.random().nextLong());
        assertThrows(UnsupportedOperationException.class, engine::streams);
        assertThrows(UnsupportedOperationException.class, () -> host.packets(3));
        assertEquals(0, engine.noSlab().capacity());
        assertEquals(64 * 1024, engine.receiveSlab().capacity());
        assertEquals(0, engine.pool().lent());
        assertEquals(0, engine.transmitList().bytes());
        assertFalse(engine.epoch().insideOnThisThread());
    }

    @Test
    void stateDigest_everyChange_changesIt() {
        List<Long> digests = new ArrayList<>();
        digests.add(engine.stateDigest());
        RecordingEndpoint endpoint = joined("a");
        digests.add(engine.stateDigest());
        endpoint.digest = 5;
        digests.add(engine.stateDigest());
        engine.ready(endpoint);
        digests.add(engine.stateDigest());
        engine.deadline(endpoint, 100);
        digests.add(engine.stateDigest());
        engine.ring(endpoint);
        digests.add(engine.stateDigest());
        engine.submit(() -> {});
        digests.add(engine.stateDigest());
        engine.starve(endpoint);
        digests.add(engine.stateDigest());
        assertEquals(digests.size(), digests.stream().distinct().count(), digests.toString());
        RnicEngine other = new RnicEngine(4, host, (which, why) -> {});
        assertNotEquals(digests.getFirst(), other.stateDigest());
    }
}
