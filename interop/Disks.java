import io.verbena.storage.device.MappedDevice;
import io.verbena.storage.service.DiskServer;
import io.verbena.storage.subsystem.Namespace;
import io.verbena.storage.subsystem.StorageTarget;
import io.verbena.storage.subsystem.Subsystem;
import io.verbena.storage.subsystem.TargetLimits;
import io.verbena.verbs.Rnic;
import io.verbena.verbs.RnicOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

/**
 * Serves disks to a Linux kernel: {@code Disks PROVIDER ADDRESS PORT FOLDER [record] [HOST...]}. Each line of standard input is a command,
 * and each is answered with one line:
 *
 * <pre>
 *   put N MIB      namespace N is the file N of the folder, with at least this size
 *   put N          the same, and hosts cannot write
 *   remove N
 *   held           the number of queues of hosts
 * </pre>
 */
final class Disks {
    private static final String NAME = "nqn.2026-01.io.verbena:disk";
    private static final int BLOCK_BYTES = 512;

    private final StorageTarget target = new StorageTarget(TargetLimits.defaults());
    private final Subsystem subsystem;
    private final Path folder;
    private final Map<Integer, MappedDevice> devices = new HashMap<>();

    private Disks(Path folder, Set<String> hosts) {
        this.folder = folder;
        subsystem = new Subsystem(NAME, "verbena-1", hosts);
        target.add(subsystem);
    }

    public static void main(String[] arguments) throws IOException, InterruptedException {
        int more = arguments.length > 4 && arguments[4].equals("record") ? 5 : 4;
        Path folder = Path.of(arguments[3]);
        Set<String> hosts = Set.copyOf(java.util.List.of(arguments).subList(more, arguments.length));
        RnicOptions options = RnicOptions.defaults().withProvider(arguments[0]);
        if (arguments[0].equals("roce")) {
            options = options.withDevice(arguments[1]); // a packet port has one address; streams have all
        }
        if (more == 5) {
            options = options.withConnectionRecord(folder.resolve("connections").toString());
        }
        Disks disks = new Disks(folder, hosts);
        disks.run("put 1 64");
        try (Rnic rnic = Rnic.open(options);
                DiskServer server = DiskServer.start(
                        rnic, disks.target, new InetSocketAddress(arguments[1], Integer.parseInt(arguments[2])))) {
            System.out.println("serving at " + server.localAddress());
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                String command = line;
                CountDownLatch done = new CountDownLatch(1);
                server.execute(() -> {
                    System.out.println(disks.run(command));
                    done.countDown();
                });
                done.await();
            }
        }
    }

    private String run(String command) {
        String[] words = command.split(" ");
        try {
            switch (words[0]) {
                case "put" -> put(Integer.parseInt(words[1]), words.length > 2 ? Long.parseLong(words[2]) : 0);
                case "remove" -> remove(Integer.parseInt(words[1]));
                case "held" -> {
                    return command + ": " + target.openQueues();
                }
                default -> throw new IllegalArgumentException("no command: " + command);
            }
            return command + ": done";
        } catch (IOException | IllegalArgumentException e) {
            return command + ": " + e;
        }
    }

    private void remove(int id) {
        MappedDevice device = devices.remove(id);
        if (device != null) {
            target.remove(subsystem, id);
            device.close();
        }
    }

    private void put(int id, long mebibytes) throws IOException {
        Path file = folder.resolve(String.valueOf(id));
        MappedDevice before = devices.get(id);
        MappedDevice device;
        if (mebibytes == 0) {
            remove(id); // no host uses it; it would keep others from the file
            device = MappedDevice.openReadOnly(file, BLOCK_BYTES);
        } else if (before == null) {
            device = MappedDevice.open(file, mebibytes << 20, BLOCK_BYTES);
        } else {
            device = before.enlarged(mebibytes << 20);
        }
        devices.put(id, device);
        UUID uuid = UUID.nameUUIDFromBytes(file.toString().getBytes(StandardCharsets.UTF_8));
        target.put(subsystem, new Namespace(id, device, uuid));
    }
}
