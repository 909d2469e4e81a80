package io.verbena.rnic.ib.terms;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.base.PacketPath;
import io.verbena.ib.settings.AddressPair;
import io.verbena.port.Addresses;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Further addresses in a field of IPv6. */
class FurtherAddressesTest {

    private static final PacketPath PEER = path("2001:db8::1");

    private static PacketPath path(String address) {
        return Addresses.path(new InetSocketAddress(InetAddress.ofLiteral(address), 0), 0);
    }

    private static List<InetAddress> addresses(String... all) {
        return Stream.of(all).map(InetAddress::ofLiteral).toList();
    }

    private static int pairs(String named) {
        return new FurtherAddresses(0, List.of(path(named)))
                .pairs(PEER, () -> 1)
                .size();
    }

    @Test
    void addressesOfIpv6_areReadAsTheyWereNamed() {
        byte[] data = {1, 2, 3};
        byte[] field = PaddedData.pad(data, 56, PaddedData.PATHS);
        byte[] named = FurtherAddresses.name(field, 3, false, addresses("2001:db8::2", "2001:db8::3", "fd00::4"));
        assertArrayEquals(data, PaddedData.data(named));
        List<PacketPath> read = FurtherAddresses.named(named, 0, false);
        List<AddressPair> pairs = new FurtherAddresses(1, read).pairs(PEER, () -> 7);
        assertEquals(List.of(pair(1, "2001:db8::2"), pair(0, "2001:db8::3"), pair(1, "fd00::4")), pairs, "in turn");
        assertEquals(
                2,
                FurtherAddresses.named(FurtherAddresses.name(field, 4, false, addresses("::5", "::6", "::7")), 0, false)
                        .size());
        assertArrayEquals(field, FurtherAddresses.name(field, 36, false, addresses("::5")));
    }

    private static AddressPair pair(int source, String address) {
        PacketPath to = path(address);
        return new AddressPair(source, to.addressHigh(), to.addressLow(), 7);
    }

    @Test
    void addressesThatAreNoHosts_giveNoPairs() {
        assertEquals(1, pairs("2001:db8::2"));
        assertEquals(1, pairs("fd00::1"));
        for (String each : List.of("::", "::1", "ff02::1", "ff0e::1:2:3", "10.0.0.1")) {
            assertEquals(0, pairs(each), each);
        }
    }
}
