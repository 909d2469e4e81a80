package io.verbena.sim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionCursor;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.CompletionStatus;
import io.verbena.verbs.Connection;
import io.verbena.verbs.ConnectionException;
import io.verbena.verbs.ConnectionOptions;
import io.verbena.verbs.ConnectionRequest;
import io.verbena.verbs.Listener;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.WrFlags;
import io.verbena.wire.DdpUntagged;
import io.verbena.wire.FpduHeader;
import io.verbena.wire.RdmapOpcode;
import io.verbena.wire.TerminateCode;
import io.verbena.wire.Ulpdu;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Packet scripts against a real RNIC in virtual time. */
class ScriptedPeerTest {

    private static final Duration SECOND = Duration.ofSeconds(1);
    private static final byte[] HELLO = {1, 2, 3, 4, 5};

    private final World world = new World(1);
    private final VirtualHost host = world.addHost(RnicOptions.defaults());
    private final ProtectionDomain domain = host.rnic().allocateProtectionDomain();
    private final CompletionQueue cq = host.rnic().createCompletionQueue(64);
    private final CompletionCursor cursor = cq.cursor();
    private final QueuePair queuePair = domain.createQueuePair(QueuePairOptions.of(cq));
    private final MemoryRegion memory =
            domain.allocate(4096, AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE, AccessRight.REMOTE_READ);

    @AfterEach
    void nothingIsLeft() {
        world.close();
        world.runUntilQuiet(600_000_000_000L);
    }

    private ScriptedPeer asked(StartFrame request) throws IOException {
        Listener listener = host.rnic().listen(host.address(7471));
        ScriptedPeer peer = ScriptedPeer.connects(world, host.address(7471)).sends(request);
        ConnectionRequest asked = listener.nextRequest(SECOND).orElseThrow();
        asked.startAccept(queuePair, ConnectionOptions.defaults());
        peer.expectsReply();
        return peer;
    }

    private CompletionStatus next() {
        assertTrue(cq.await(SECOND), "a completion");
        assertTrue(cursor.next());
        return cursor.status();
    }

    @Test
    void rdmaMode_send_fillsReceive() throws IOException {
        queuePair.postReceive(7, memory, 100, 64);
        ScriptedPeer peer = asked(StartFrame.request().withCrc());
        peer.sends(Messages.send(1, HELLO));
        assertEquals(CompletionStatus.SUCCESS, next());
        assertEquals(5, cursor.byteCount());
        byte[] arrived = memory.segment().asSlice(100, 5).toArray(ValueLayout.JAVA_BYTE);
        assertArrayEquals(HELLO, arrived);
        peer.ends().expectsEnd();
    }

    @Test
    void rdmaMode_everyFraming_isRightBothWays() throws IOException {
        queuePair.postReceive(1, memory, 0, 3000);
        ScriptedPeer peer = asked(StartFrame.request().withCrc().withMarkers().withDepths(4, 4));
        peer.sends(Messages.send(1, new byte[1500]));
        assertEquals(CompletionStatus.SUCCESS, next());
        queuePair.postSend(2, memory, 0, 2000, WrFlags.SIGNALLED);
        Ulpdu sent = peer.expects(RdmapOpcode.SEND);
        assertEquals(2000, sent.payloadLength());
        assertEquals(1, sent.msn());
        peer.ends().expectsEnd();
    }

    @Test
    void rdmaMode_unknownKey_terminates() throws IOException {
        ScriptedPeer peer = asked(StartFrame.request());
        peer.sends(Messages.write(~memory.rkey(), memory.address(), HELLO));
        peer.expectsTerminate(TerminateCode.DDP_TAGGED_INVALID_STAG).expectsEnd();
        Connection connection = queuePair.connection().orElseThrow();
        peer.ends();
        assertTrue(connection.awaitClosed(SECOND));
        assertTrue(connection.reason().contains("a key that does not identify any memory"), connection.reason());
    }

    @Test
    void rdmaMode_bytesOneByOne_areTheSame() throws IOException {
        queuePair.postReceive(7, memory, 0, 64);
        ScriptedPeer peer = asked(StartFrame.request().withCrc());
        peer.sendsInPieces(1, peer.framed(Messages.send(1, HELLO)));
        assertEquals(CompletionStatus.SUCCESS, next());
        peer.resets();
    }

    @Test
    void rdmaMode_wrongQueueInARequestThatComesInTwo_terminates() throws IOException {
        ScriptedPeer peer = asked(StartFrame.request());
        byte[] request = Messages.readRequest(1, 7, 0, 8, memory.rkey(), memory.address());
        new DdpUntagged().wrap(MemorySegment.ofArray(request), 0).qn(9);
        // The header arrives alone: its error is detected before the request itself arrives.
        peer.sendsInPieces(FpduHeader.LENGTH + DdpUntagged.LENGTH, peer.framed(request));
        peer.expectsTerminate(TerminateCode.DDP_UNTAGGED_INVALID_QN).expectsEnd();
    }

    @Test
    void listening_garbage_isClosed() throws IOException {
        try (Listener listener = host.rnic().listen(host.address(7471))) {
            ScriptedPeer peer = ScriptedPeer.connects(world, host.address(7471));
            peer.sendsRaw("GET / HTTP/1.1\r\n".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
            peer.expectsClose();
            assertTrue(listener.nextRequest(Duration.ZERO).isEmpty());
        }
    }

    @Test
    void connecting_replyInPiecesAndFpduBehindIt_bothCount() {
        queuePair.postReceive(7, memory, 0, 64);
        ScriptedPeer.Site site = ScriptedPeer.listens(world);
        Connection connection = host.rnic()
                .startConnect(
                        queuePair, site.address(), ConnectionOptions.defaults().withPeerToPeer(false));
        ScriptedPeer peer = site.accepts();
        StartFrame request = peer.expectsRequest();
        StartFrame reply = StartFrame.reply()
                .withDepths(request.words().ord(), request.words().ird());
        peer.said(reply);
        byte[] bytes = ScriptedPeer.joined(reply.bytes(), peer.framed(Messages.send(1, HELLO)));
        peer.sendsInPieces(7, bytes);
        assertEquals(CompletionStatus.SUCCESS, next());
        assertEquals(5, cursor.byteCount());
        connection.disconnect();
        peer.expectsEnd().ends();
        assertTrue(connection.awaitClosed(SECOND));
    }

    @Test
    void connecting_peerSilent_timesOut() {
        ScriptedPeer.Site site = ScriptedPeer.listens(world);
        Connection connection = host.rnic()
                .startConnect(
                        queuePair, site.address(), ConnectionOptions.defaults().withTimeout(SECOND));
        ScriptedPeer peer = site.accepts();
        peer.expectsRequest();
        ConnectionException failure =
                assertThrows(ConnectionException.class, () -> connection.awaitEstablished(Duration.ofSeconds(10)));
        assertEquals(ConnectionException.Kind.TIMED_OUT, failure.kind());
        peer.expectsClose();
    }
}
