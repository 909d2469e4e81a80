package io.verbena.hardware.provider;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.fake.FakeLibrary;
import io.verbena.hardware.provider.device.Obstacles;
import io.verbena.verbs.AccessRight;
import io.verbena.verbs.CompletionQueue;
import io.verbena.verbs.MemoryRegion;
import io.verbena.verbs.ProtectionDomain;
import io.verbena.verbs.QueuePair;
import io.verbena.verbs.QueuePairOptions;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the provider does when a function fails: a sentence, and no native object is left. */
class FailuresTest {

    private static final Path NONE = Path.of("/none");

    private static IbverbsProvider provider(FakeLibrary fake) {
        return new IbverbsProvider(fake::libraries, new Obstacles(NONE, NONE), false);
    }

    private static void life(FakeLibrary fake) throws IOException {
        try (Rnic rnic = provider(fake).open(RnicOptions.defaults());
                ProtectionDomain domain = rnic.allocateProtectionDomain();
                CompletionQueue cq = rnic.createCompletionQueue(16);
                MemoryRegion _ = domain.allocate(64, AccessRight.LOCAL_WRITE);
                QueuePair _ = domain.createQueuePair(QueuePairOptions.of(cq).withMaxInlineBytes(64))) {
            rnic.listen(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .close();
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = NativeFunction.class,
            names = {
                "GET_DEVICE_LIST",
                "OPEN_DEVICE",
                "QUERY_DEVICE",
                "ALLOC_PD",
                "REG_MR",
                "CREATE_COMP_CHANNEL",
                "CREATE_CQ",
                "CREATE_QP",
                "MODIFY_QP",
                "CREATE_EVENT_CHANNEL",
                "CREATE_ID",
                "BIND_ADDR",
                "LISTEN"
            })
    void failureOfACall_isASentence_andLeavesNothing(NativeFunction function) {
        try (FakeLibrary fake = new FakeLibrary()) {
            int before = fake.adapter().objects();
            fake.failNext(function, Errno.ENOMEM);
            Exception failed = assertThrows(Exception.class, () -> life(fake));
            assertTrue(failed instanceof VerbsException || failed instanceof IOException, failed::toString);
            assertTrue(String.valueOf(failed.getMessage()).endsWith("."), failed::getMessage);
            assertEquals(before, fake.adapter().objects());
        }
    }

    @Test
    void everyObjectOfAUsualLife_isDestroyed() throws IOException {
        try (FakeLibrary fake = new FakeLibrary()) {
            int before = fake.adapter().objects();
            life(fake);
            assertEquals(before, fake.adapter().objects());
        }
    }

    @Test
    void libraryOfAnUnknownLayout_isRefused() {
        try (FakeLibrary fake = new FakeLibrary()) {
            fake.adapter().knownBytes(500);
            VerbsException refused =
                    assertThrows(VerbsException.class, () -> provider(fake).open(RnicOptions.defaults()));
            assertTrue(
                    String.valueOf(refused.getMessage()).startsWith("The layout of the open device is unknown"),
                    refused::getMessage);
        }
    }

    @Test
    void unknownDevice_isRefusedWithTheNames() {
        try (FakeLibrary fake = new FakeLibrary()) {
            VerbsException refused = assertThrows(
                    VerbsException.class,
                    () -> provider(fake).open(RnicOptions.defaults().withDevice("mlx5_0")));
            assertEquals("There is no RDMA device named 'mlx5_0'; the devices are [fake0].", refused.getMessage());
        }
    }

    @Test
    void severalDevices_noneNamed_theOnlyActiveOneIsOpened() {
        try (FakeLibrary fake = new FakeLibrary()) {
            int before = fake.adapter().objects();
            fake.adapter().add("fake1", false);
            try (Rnic rnic = provider(fake).open(RnicOptions.defaults())) {
                assertEquals("fake0", rnic.query().device().name());
            }
            fake.adapter().add("fake2", true);
            VerbsException refused =
                    assertThrows(VerbsException.class, () -> provider(fake).open(RnicOptions.defaults()));
            assertEquals(
                    "The RDMA devices are [fake0, fake1 (no active port), fake2]; name one of them: provider ibverbs:fake0.",
                    refused.getMessage());
            try (Rnic rnic = provider(fake).open(RnicOptions.defaults().withDevice("fake2"))) {
                assertEquals("fake2", rnic.query().device().name());
            }
            assertEquals(before, fake.adapter().objects());
        }
    }

    @Test
    void obstacles_areFoundInOrder(@TempDir Path folder) throws IOException {
        assertEquals("no library", new Obstacles(NONE, NONE).first(() -> {
                    throw new VerbsException("no library");
                }));
        try (FakeLibrary fake = new FakeLibrary()) {
            fake.failNext(NativeFunction.GET_DEVICE_LIST, Errno.ENOSYS);
            assertTrue(new Obstacles(NONE, NONE).first(fake::libraries).contains("modprobe ib_uverbs"));
            fake.failNext(NativeFunction.CREATE_EVENT_CHANNEL, Errno.ENODEV);
            assertTrue(new Obstacles(NONE, NONE).first(fake::libraries).contains("modprobe rdma_ucm"));
            fake.failNext(NativeFunction.CREATE_EVENT_CHANNEL, Errno.EACCES);
            assertTrue(new Obstacles(NONE, NONE).first(fake::libraries).contains("/dev/infiniband/rdma_cm"));
            Path limits = folder.resolve("limits");
            Files.write(
                    limits, List.of("Limit  Soft  Hard  Units", "Max locked memory         65536    65536    bytes"));
            assertTrue(new Obstacles(NONE, limits).first(fake::libraries).contains("may lock only 65536 bytes"));
            Files.write(limits, List.of("Max locked memory         unlimited            unlimited            bytes"));
            assertEquals("", new Obstacles(NONE, limits).first(fake::libraries));
            fake.adapter().remove();
            assertEquals(Obstacles.NO_DEVICE, new Obstacles(NONE, NONE).first(fake::libraries));
            Files.createDirectory(folder.resolve("mlx5_0"));
            Files.delete(limits);
            assertTrue(new Obstacles(folder, NONE).first(fake::libraries).contains("ibverbs-providers"));
        }
    }
}
