package io.verbena.hardware.provider.device;

import io.verbena.hardware.abi.CallFailedException;
import io.verbena.hardware.abi.Errno;
import io.verbena.hardware.abi.NativeFunction;
import io.verbena.hardware.abi.RdmaLibraries;
import io.verbena.verbs.VerbsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * Why no adapter can be used: the first thing that is missing of the libraries, the kernel modules, a device, its plug-in, the rights and the
 * limit of locked memory; with the command that repairs it.
 */
public final class Obstacles {

    public static final String NO_DEVICE =
            "This machine has no RDMA device; without an adapter, 'rdma link add rxe0 type rxe netdev eth0'"
                    + " makes one in software.";

    private static final String NO_KERNEL_VERBS =
            "The kernel module for verbs is not loaded; load it with 'modprobe ib_uverbs'.";
    private static final String NO_KERNEL_CM =
            "The kernel module for RDMA connections is not loaded; load it with 'modprobe rdma_ucm'.";

    private static final Path SYSFS = Path.of("/sys/class/infiniband");

    /** Below this, not even the queues of a queue pair can be locked in memory on some adapters. */
    private static final long LEAST_LOCKED_BYTES = 1 << 20;

    private final Path sysfs;
    private final Path limits;

    /** The obstacles of this machine. */
    public Obstacles() {
        this(SYSFS, Path.of("/proc/self/limits"));
    }

    /** The obstacles that these files tell of. */
    public Obstacles(Path sysfs, Path limits) {
        this.sysfs = sysfs;
        this.limits = limits;
    }

    /**
     * Fails if the kernel of this machine knows nothing of RDMA.
     *
     * @throws VerbsException if so
     */
    public static void checkKernel() {
        if (Files.notExists(SYSFS)) {
            throw new VerbsException("The kernel has loaded no RDMA driver (there is no " + SYSFS
                    + "); load that of the adapter, or make one in software: 'modprobe rdma_rxe'.");
        }
    }

    /** The first obstacle in one sentence; empty if there is none. */
    public String first(Supplier<RdmaLibraries> load) {
        RdmaLibraries libraries;
        try {
            libraries = load.get();
        } catch (VerbsException e) {
            return String.valueOf(e.getMessage());
        }
        List<String> devices;
        try {
            devices = Adapter.devices(libraries);
        } catch (CallFailedException e) {
            return e.errno() == Errno.ENOSYS ? NO_KERNEL_VERBS : String.valueOf(e.getMessage());
        }
        if (devices.isEmpty()) {
            return kernelDevices().isEmpty()
                    ? NO_DEVICE
                    : "The kernel has the RDMA devices " + kernelDevices()
                            + ", but libibverbs has no plug-in for them; install it with 'apt-get install ibverbs-providers'.";
        }
        return manager(libraries);
    }

    private String manager(RdmaLibraries libraries) {
        try {
            libraries.call(NativeFunction.DESTROY_EVENT_CHANNEL, libraries.call(NativeFunction.CREATE_EVENT_CHANNEL));
        } catch (CallFailedException e) {
            return switch (e.errno()) {
                case Errno.ENODEV, Errno.ENOENT -> NO_KERNEL_CM;
                case Errno.EACCES, Errno.EPERM ->
                    "This user may not open /dev/infiniband/rdma_cm; give the rights, for example with"
                            + " 'chmod 666 /dev/infiniband/rdma_cm'.";
                default -> String.valueOf(e.getMessage());
            };
        }
        long lockedBytes = lockedBytes();
        return lockedBytes >= LEAST_LOCKED_BYTES
                ? ""
                : "This process may lock only " + lockedBytes
                        + " bytes in memory, which an adapter needs for registered memory; raise the limit with"
                        + " 'ulimit -l unlimited'.";
    }

    private List<String> kernelDevices() {
        try (Stream<Path> entries = Files.list(sysfs)) {
            return entries.map(each -> each.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            return List.of();
        }
    }

    /** The limit of locked memory; without the file, none. */
    private long lockedBytes() {
        try (Stream<String> lines = Files.lines(limits)) {
            return lines.filter(line -> line.startsWith("Max locked memory"))
                    .map(line ->
                            line.substring("Max locked memory".length()).strip().split("\\s+", 2)[0])
                    .filter(value -> !value.equals("unlimited"))
                    .map(Long::parseLong)
                    .findFirst()
                    .orElse(Long.MAX_VALUE);
        } catch (IOException e) {
            return Long.MAX_VALUE;
        }
    }
}
