package io.verbena.hardware.provider.survival;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.verbena.verbs.SurvivalOptions;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class SurvivalTermsTest {

    private static final SocketAddress FIRST = new InetSocketAddress("10.0.0.1", 7000);
    private static final SocketAddress SECOND = new InetSocketAddress("10.0.1.1", 7000);
    private static final SocketAddress THIRD = new InetSocketAddress("10.0.2.1", 7000);

    @Test
    void connectingSide_hasTheFirstAddressOnceAndFirst() {
        SurvivalTerms terms = new SurvivalTerms(SurvivalOptions.over(SECOND, FIRST, THIRD), Optional.of(FIRST));
        assertEquals(0, terms.side());
        assertEquals(List.of(FIRST, SECOND, THIRD), terms.addresses());
    }

    @Test
    void acceptingSide_hasNoAddresses() {
        SurvivalTerms terms = new SurvivalTerms(SurvivalOptions.over(SECOND), Optional.empty());
        assertEquals(1, terms.side());
        assertEquals(List.of(), terms.addresses());
    }
}
