package io.verbena.iwarp.startup;

import static io.verbena.iwarp.startup.Script.data;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class StartUpValuesTest {
    private static final StartUpOptions DEFAULTS = StartUpOptions.defaults();

    private static void refused(Runnable misuse) {
        assertThrows(IllegalArgumentException.class, misuse::run);
    }

    @Test
    void privateData_limits_are512And508() {
        assertEquals(512, data(512).length());
        refused(() -> data(513));
        // RFC 6581 section 9 [note]: IRD and ORD take four bytes of the 512.
        assertEquals(508, DEFAULTS.withPrivateData(data(508)).privateData().length());
        refused(() -> DEFAULTS.withPrivateData(data(509)));
        assertEquals(
                512,
                DEFAULTS.withEnhanced(false)
                        .withPrivateData(data(512))
                        .privateData()
                        .length());
    }

    @Test
    void privateData_array_isCopied() {
        byte[] bytes = {1, 2};
        PrivateData data = PrivateData.of(bytes);
        bytes[0] = 9;
        data.toArray()[1] = 9;
        assertEquals("0102", data.toString());
        assertEquals(PrivateData.of(new byte[] {1, 2}), data);
        assertEquals(PrivateData.of(new byte[] {1, 2}).hashCode(), data.hashCode());
    }

    @Test
    void options_thatDoNotGoTogether_areRefused() {
        refused(() -> DEFAULTS.withDepths(0x4000, 0));
        refused(() -> DEFAULTS.withDepths(0, -1));
        refused(() -> DEFAULTS.withTimeoutNs(0));
        refused(() -> DEFAULTS.withPeerToPeer(PeerToPeer.of()));
        refused(() -> DEFAULTS.withEnhanced(false).withPeerToPeer(PeerToPeer.ANY));
        refused(() -> new PeerToPeer(false, true, false, false));
        refused(() -> ResponderOptions.withTimeoutNs(0));
    }

    @Test
    void terminates_haveTheirCodes() {
        // RFC 6581 section 8: layer 2, type 0, codes 5, 6 and 7.
        List<String> codes = Arrays.stream(StartUpTerminate.values())
                .map(it -> it.layer() + "/" + it.type() + "/" + it.code())
                .toList();
        assertEquals(List.of("2/0/5", "2/0/6", "2/0/7"), codes);
    }
}
