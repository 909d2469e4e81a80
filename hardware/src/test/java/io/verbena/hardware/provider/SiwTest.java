package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.verbs.AddressHandleAttributes;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.InfinibandQueuePairState;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairChange;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.net.InetAddress;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What is peculiar to siw, the iWARP adapter of Linux in software. */
class SiwTest {

    private static final Path NONE = Path.of("/none");

    private static Rnic open(FakeLibrary fake) {
        fake.siw();
        return new IbverbsProvider(fake::libraries, new Obstacles(NONE, NONE), false).open(RnicOptions.defaults());
    }

    @Test
    void manyQueues_thePluginTakesAKeyForAnError_areCreated() {
        try (FakeLibrary fake = new FakeLibrary();
                Rnic rnic = open(fake)) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            for (int i = 0; i < 200; i++) {
                CompletionQueue cq = rnic.createCompletionQueue(64);
                QueuePair _ = domain.createQueuePair(QueuePairOptions.of(cq));
            }
        }
    }

    @Test
    void openAndClose_leaveNothing() {
        try (FakeLibrary fake = new FakeLibrary()) {
            int before = fake.adapter().objects();
            open(fake).close();
            assertEquals(before, fake.adapter().objects());
        }
    }

    @Test
    void failureWithoutAReason_afterAnotherFailure_showsNotTheReasonOfThatOne() {
        try (FakeLibrary fake = new FakeLibrary();
                Rnic rnic = open(fake)) {
            fake.failNext(NativeFunction.ALLOC_PD, Errno.EOPNOTSUPP);
            assertThrows(CallFailedException.class, rnic::allocateProtectionDomain);
            fake.failNext(NativeFunction.ALLOC_PD, FakeLibrary.NO_REASON);
            CallFailedException failed = assertThrows(CallFailedException.class, rnic::allocateProtectionDomain);
            assertEquals(Errno.UNKNOWN, failed.errno());
        }
    }

    @Test
    void addressHandle_withoutDatagrams_isRefused() throws Exception {
        try (FakeLibrary fake = new FakeLibrary();
                Rnic rnic = open(fake)) {
            ProtectionDomain domain = rnic.allocateProtectionDomain();
            AddressHandleAttributes peer = AddressHandleAttributes.to(InetAddress.getLoopbackAddress());
            assertThrows(UnsupportedOperationException.class, () -> domain.createAddressHandle(peer));
        }
    }

    @Test
    void resize_isRefused() {
        try (FakeLibrary fake = new FakeLibrary();
                Rnic rnic = open(fake)) {
            CompletionQueue cq = rnic.createCompletionQueue(64);
            assertThrows(UnsupportedOperationException.class, () -> cq.resize(200));
        }
    }

    @Test
    void stateOfInfiniband_isNoStateOfItsQueuePairs() {
        try (FakeLibrary fake = new FakeLibrary();
                Rnic rnic = open(fake)) {
            QueuePair queuePair = rnic.allocateProtectionDomain()
                    .createQueuePair(QueuePairOptions.of(rnic.createCompletionQueue(64)));
            assertThrows(
                    IllegalArgumentException.class,
                    () -> queuePair.modify(QueuePairChange.to(InfinibandQueuePairState.INIT)));
        }
    }
}
