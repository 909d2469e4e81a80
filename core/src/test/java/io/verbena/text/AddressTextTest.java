package io.verbena.text;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressTextTest {

    @ParameterizedTest
    @CsvSource({
        "192.0.2.7,192.0.2.7:5",
        "::,[::]:5",
        "::1,[::1]:5",
        "2001:db8::,[2001:db8::]:5",
        "2001:db8:0:0:1:0:0:1,[2001:db8::1:0:0:1]:5",
        "2001:0:0:1:0:0:0:1,[2001:0:0:1::1]:5",
        "2001:db8:0:1:1:1:1:1,[2001:db8:0:1:1:1:1:1]:5",
        "10:0:0:10:1:1:1:1,[10::10:1:1:1:1]:5",
        "fe80::1%1,[fe80::1%1]:5"
    })
    void text_anyAddress_asPeopleWriteIt(String address, String text) {
        assertEquals(text, AddressText.ofIp(new InetSocketAddress(address, 5)));
    }

    @Test
    void text_unknownHost_isItsName() {
        InetSocketAddress unknown = InetSocketAddress.createUnresolved("h.invalid", 5);
        assertEquals("h.invalid:5", AddressText.of(unknown));
        assertEquals("h.invalid:5", AddressText.ofIp(unknown));
    }
}
