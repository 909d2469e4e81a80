package io.verbena.rnic.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.verbs.TransportService;
import io.verbena.verbs.TransportType;
import io.verbena.verbs.WorkOpcode;
import java.util.EnumSet;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What iWARP offers, and the work that it refuses before it is posted. */
class IwarpTransportTest {

    private final IwarpTransport transport = new IwarpTransport();

    @Test
    void limits_areThoseOfTheProtocol() {
        assertEquals("iwarp", transport.limits().provider());
        assertEquals(TransportType.IWARP, transport.limits().type());
        assertEquals(
                Set.of(TransportService.RELIABLE_CONNECTION), transport.limits().services());
        assertEquals(EnumSet.allOf(WorkOpcode.class), transport.limits().operations());
        assertEquals(256, transport.limits().connection().reads());
        // RFC 6581 section 6: 512 bytes, of which 4 are the enhanced header. RFC 7306 section 6: 64 bits.
        assertEquals(508, transport.limits().connection().privateDataBytes());
        assertEquals(64, transport.limits().connection().immediateBits());
        IwarpTransport local = new IwarpTransport("shm", TransportType.SHARED_MEMORY);
        assertEquals("shm", local.limits().provider());
        assertEquals(TransportType.SHARED_MEMORY, local.limits().type());
    }

    // RFC 7306 section 6: immediate data is a separate message without payload.
    @Test
    void sendWithImmediate_withPayload_isRefused() {
        transport.checkWork(WorkOpcode.SEND_WITH_IMMEDIATE, 0, 0);
        assertThrows(
                UnsupportedOperationException.class, () -> transport.checkWork(WorkOpcode.SEND_WITH_IMMEDIATE, 1, 1));
    }

    // RFC 7306 section 5: the original value has 64 bits.
    @ParameterizedTest
    @CsvSource({"COMPARE_AND_SWAP", "FETCH_AND_ADD"})
    void atomic_requiresOneElementOfEightBytes(WorkOpcode atomic) {
        transport.checkWork(atomic, 8, 1);
        assertThrows(IllegalArgumentException.class, () -> transport.checkWork(atomic, 8, 2));
        assertThrows(IllegalArgumentException.class, () -> transport.checkWork(atomic, 4, 1));
    }

    @ParameterizedTest
    @EnumSource(
            value = WorkOpcode.class,
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SEND_WITH_IMMEDIATE", "COMPARE_AND_SWAP", "FETCH_AND_ADD"})
    void otherWork_hasAnyLength(WorkOpcode opcode) {
        transport.checkWork(opcode, 1L << 31, 4);
    }
}
