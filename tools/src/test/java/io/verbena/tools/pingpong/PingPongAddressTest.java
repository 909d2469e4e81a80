package io.verbena.tools.pingpong;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.tools.base.Failure;
import java.net.InetAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PingPongAddressTest {

    private static final String LINE = "0000:000011:2a6cd5:00000000000000000000ffff0a4d0002\0";

    @Test
    void ipv4_line_isTheTextOfTheLinuxPrograms() throws Exception {
        PingPongAddress address = new PingPongAddress(0, 0x11, 0x2a6cd5, InetAddress.getByName("10.77.0.2"));
        assertEquals(LINE, address.line());
        assertEquals(PingPongAddress.BYTES, LINE.length());
        assertEquals(address, PingPongAddress.parse(LINE));
        assertEquals("LID 0x0000, QPN 0x000011, PSN 0x2a6cd5, GID 10.77.0.2", address.toString());
    }

    @Test
    void ipv6_line_isParsedBack() throws Exception {
        PingPongAddress address = new PingPongAddress(0xbeef, 0xffffff, 0, InetAddress.getByName("fd00::1:2"));
        assertEquals("beef:ffffff:000000:fd000000000000000000000000010002\0", address.line());
        assertEquals(address, PingPongAddress.parse(address.line()));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "done\0",
                "0000:000011:2a6cd5:00000000000000000000ffff0a4d0002",
                "0000:000011:2a6cd5:00000000000000000000ffff0a4d0002\n",
                "0000-000011:2a6cd5:00000000000000000000ffff0a4d0002\0",
                "0000:00001g:2a6cd5:00000000000000000000ffff0a4d0002\0",
                "0000:+00011:2a6cd5:00000000000000000000ffff0a4d0002\0"
            })
    void otherText_fails(String line) {
        assertThrows(Failure.class, () -> PingPongAddress.parse(line));
    }
}
