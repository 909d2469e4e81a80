package io.verbena.ib.cm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.base.Times;
import io.verbena.ib.packet.Origin;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * An address that has not shown that it receives what is sent there gets at most three bytes for each byte that came from there, whatever
 * the datagrams are and whatever the application does with a request.
 */
class CmAmplificationTest {

    private static final long VICTIM = 0xffff_0a4d_0099L;
    private static final long SERVICE = CmPair.SERVICE;
    private static final int MOST_ANSWERS = 3;

    private final CmPair pair = new CmPair();
    private final CmMessage out = new CmMessage();
    private int number = 0x5000;
    private int receivedFromVictim;
    private int sentToVictim;

    /** What the application does with a request. */
    private enum Application implements ObjIntConsumer<CmAgent> {
        SILENT {
            @Override
            public void accept(CmAgent agent, int request) {}
        },
        ACCEPTS {
            @Override
            public void accept(CmAgent agent, int request) {
                agent.accept(request, CmPair.answer(0x22), NOW_NS);
            }
        },
        REJECTS {
            @Override
            public void accept(CmAgent agent, int request) {
                agent.reject(request, CmReject.CONSUMER, new byte[0]);
            }
        },
        DELAYS_AND_ACCEPTS {
            @Override
            public void accept(CmAgent agent, int request) {
                agent.delay(request, 20, NOW_NS);
                agent.delay(request, 21, NOW_NS);
                agent.delay(request, 22, NOW_NS);
                agent.accept(request, CmPair.answer(0x22), NOW_NS);
            }
        },
        ACCEPTS_AND_DISCONNECTS {
            @Override
            public void accept(CmAgent agent, int request) {
                agent.accept(request, CmPair.answer(0x22), NOW_NS);
                agent.disconnect(request, NOW_NS);
            }
        };

        private static final long NOW_NS = new CmPair().nowNs;
    }

    private byte[] request(int queuePair) {
        CmMessage m = out.begin(CmMessage.REQ, 7);
        m.req()
                .localCommId(number++)
                .serviceId(SERVICE)
                .localCaGuid(5)
                .localQpn(queuePair)
                .remoteResponseTimeout(20)
                .localResponseTimeout(20)
                .maxCmRetries(15)
                .pathMtu(3);
        m.primary().remoteGid(0, CmPair.B_ADDRESS).localGid(0, VICTIM).ackTimeout(19);
        return m.bytes();
    }

    private byte[] lookUp() {
        CmMessage m = out.begin(CmMessage.SIDR_REQ, 8);
        m.sidrReq().requestId(number++).serviceId(SERVICE);
        return m.bytes();
    }

    /** Any other message about a connection that does not exist. */
    private byte[] stray(int attribute) {
        return out.begin(attribute, 9).bytes();
    }

    private void forge(byte[] bytes, Application application) {
        Origin origin = new Origin().source(0, VICTIM).target(0, CmPair.B_ADDRESS);
        receivedFromVictim += bytes.length;
        pair.b.agent.onDatagram(MemorySegment.ofArray(bytes), 0, bytes.length, origin, pair.nowNs);
        drain(application);
    }

    private void drain(Application application) {
        CmAgent agent = pair.b.agent;
        for (Optional<CmSignal> each = agent.pollSignal(); each.isPresent(); each = agent.pollSignal()) {
            switch (each.get()) {
                case CmSignal.Requested(int request, var _, var _) -> application.accept(agent, request);
                case CmSignal.ResolutionRequested(int request, var _, var _, var _) ->
                    agent.answerResolution(request, 0, 3, 4, new byte[0]);
                default -> {}
            }
        }
        for (Optional<CmAgent.Outgoing> each = agent.pollOutgoing(); each.isPresent(); each = agent.pollOutgoing()) {
            assertEquals(VICTIM, each.get().to().addressLow());
            sentToVictim += each.get().bytes().length;
        }
    }

    /** Until nothing is repeated any more. */
    private void toTheEnd(Application application) {
        for (int i = 0; i < 10_000 && pair.b.agent.nextDeadlineNs() != Times.NEVER; i++) {
            pair.pass(Times.leftNs(pair.b.agent.nextDeadlineNs(), pair.nowNs));
            drain(application);
        }
        assertEquals(0, pair.b.agent.size());
        assertTrue(
                sentToVictim <= MOST_ANSWERS * receivedFromVictim,
                sentToVictim + " bytes for " + receivedFromVictim + " bytes");
    }

    @TestFactory
    Stream<DynamicTest> forgedDatagrams_whateverTheyAre_areAnsweredByThreeTimesTheirBytesAtMost() {
        List<DynamicTest> all = new ArrayList<>();
        for (Application application : Application.values()) {
            for (int count : new int[] {1, 2, CmSources.BURST, 3 * CmSources.BURST}) {
                all.add(DynamicTest.dynamicTest(
                        application + ", " + count + " requests",
                        () -> new CmAmplificationTest().requests(application, count)));
            }
        }
        for (int attribute = CmMessage.REQ; attribute <= CmMessage.APR; attribute++) {
            int which = attribute;
            all.add(DynamicTest.dynamicTest(
                    "attribute " + Integer.toHexString(which), () -> new CmAmplificationTest().strays(which)));
        }
        return all.stream();
    }

    private void requests(Application application, int count) {
        for (int i = 0; i < count; i++) {
            byte[] request = request(0x100 + i / 2); // every second one: the peer has restarted
            forge(request, application);
            forge(lookUp(), application);
            if (i % 3 == 0) {
                forge(request, application);
            }
        }
        toTheEnd(application);
    }

    private void strays(int attribute) {
        pair.established();
        pair.pass(600_000_000_000L);
        pair.b.collect();
        pair.b.wire.clear();
        for (int i = 0; i < 50; i++) {
            forge(stray(attribute), Application.ACCEPTS);
        }
        assertTrue(sentToVictim <= receivedFromVictim);
    }

    /** An accepted request of a forged address brings the REP and two repetitions, and no REJ at the end. */
    @Test
    void request_acceptedAndNeverConfirmed_bringsThreeReplies() {
        forge(request(0x100), Application.ACCEPTS);
        toTheEnd(Application.ACCEPTS);
        assertEquals(MOST_ANSWERS * CmMessage.BYTES, sentToVictim);
    }

    /** The peer repeats its REQ while it has no REP, and each REQ permits further REPs: a network that loses nine of ten packets is no obstacle. */
    @Test
    void request_repeatedByThePeer_isAnsweredAgain() {
        byte[] request = request(0x100);
        forge(request, Application.ACCEPTS);
        for (int i = 0; i < 5; i++) {
            int before = sentToVictim;
            for (int turn = 0; turn < 4; turn++) {
                pair.pass(Times.leftNs(pair.b.agent.nextDeadlineNs(), pair.nowNs));
                drain(Application.ACCEPTS);
            }
            assertTrue(sentToVictim - before <= MOST_ANSWERS * CmMessage.BYTES);
            assertTrue(i > 1 || sentToVictim > before, "repeats " + i);
            forge(request, Application.ACCEPTS);
        }
    }
}
