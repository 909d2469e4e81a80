package io.verbena.iwarp;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.iwarp.startup.MpaFlags;
import io.verbena.iwarp.startup.Negotiated;
import io.verbena.iwarp.startup.PrivateData;
import io.verbena.iwarp.startup.ReadDepths;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class StreamSettingsTest {

    private static final int EMSS = 1448;
    private static final int CONFIGURED = 32 * 1024;

    private static int mostPayload(boolean crc, boolean markers) {
        ReadDepths depths = new ReadDepths(4, 4);
        Negotiated negotiated = new Negotiated(
                true,
                2,
                new Negotiated.Framing(markers, markers, crc),
                depths,
                Optional.empty(),
                new Negotiated.Peer(depths, PrivateData.EMPTY, new MpaFlags(markers, crc, false, true, 0)));
        return StreamSettings.of(negotiated, CONFIGURED, EMSS).maxPayloadBytes();
    }

    @Test
    void checksums_fpdusFitInSegments() {
        assertTrue(mostPayload(true, false) < EMSS);
        assertTrue(mostPayload(true, true) < mostPayload(true, false));
    }

    // Without checksums nothing is placed after a hole, so nothing is gained by FPDUs that fit.
    @Test
    void noChecksums_fpdusAreAsLongAsConfigured() {
        assertEquals(CONFIGURED, mostPayload(false, false));
        assertEquals(CONFIGURED, mostPayload(false, true));
    }
}
