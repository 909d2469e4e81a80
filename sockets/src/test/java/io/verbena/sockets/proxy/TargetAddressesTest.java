package io.verbena.sockets.proxy;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.concurrent.LinkedBlockingQueue;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class TargetAddressesTest {

    private static final InetAddress FIRST = InetAddress.ofLiteral("::1");
    private static final InetAddress SECOND = InetAddress.ofLiteral("127.0.0.1");

    private final InetSocketAddress target = new InetSocketAddress(SECOND, 7);

    private static InetSocketAddress at(InetAddress address) {
        return new InetSocketAddress(address, 7);
    }

    @Test
    void nameHasTwoAddresses_bothAreTried_theOneThatAnsweredFirst() {
        TargetAddresses addresses = new TargetAddresses(at(FIRST), _ -> new InetAddress[] {FIRST, SECOND});
        assertEquals(List.of(at(FIRST), at(SECOND)), addresses.inOrder());
        addresses.connected(at(SECOND));
        assertEquals(List.of(at(SECOND), at(FIRST)), addresses.inOrder());
    }

    @Test
    void nameIsUnknownNow_keepsItsAddresses() {
        TargetAddresses addresses = new TargetAddresses(target, _ -> {
            throw new UnknownHostException();
        });
        assertEquals(List.of(target), addresses.inOrder());
    }

    @Test
    void nameMoves_newAddressIsUsedAfterTheNextLookUp() throws InterruptedException {
        LinkedBlockingQueue<InetAddress> answers = new LinkedBlockingQueue<>(List.of(SECOND));
        TargetAddresses addresses = new TargetAddresses(target, _ -> {
            try {
                return new InetAddress[] {answers.take()};
            } catch (InterruptedException e) {
                throw new UnknownHostException();
            }
        });
        addresses.renew();
        addresses.renew(); // one look-up at a time
        assertEquals(List.of(at(SECOND)), addresses.inOrder());
        answers.put(FIRST);
        while (!addresses.inOrder().equals(List.of(at(FIRST)))) {
            Thread.onSpinWait();
        }
    }
}
