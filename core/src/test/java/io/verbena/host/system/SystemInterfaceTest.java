package io.verbena.host.system;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/** The devices of this system, whatever it has, compared with what /sys shows. */
@EnabledOnOs(OS.LINUX)
class SystemInterfaceTest {

    private static final Path DEVICES = Path.of("/sys/class/net");
    private static final int IFF_UP = 1;

    private static List<Path> devices() throws IOException {
        try (Stream<Path> found = Files.list(DEVICES)) {
            return found.filter(each -> Files.exists(each.resolve("ifindex"))).toList();
        }
    }

    private static int number(Path device, String what) throws IOException {
        return Integer.decode(Files.readString(device.resolve(what)).strip());
    }

    @Test
    void everyDevice_withOrWithoutAnAddress_isFoundOrReportedAsDown() throws IOException {
        List<Path> devices = devices();
        assertTrue(devices.toString().contains("lo"), devices.toString());
        for (Path device : devices) {
            String name = device.getFileName().toString();
            if ((number(device, "flags") & IFF_UP) != 0) {
                SystemInterface found = SystemInterface.find(name, "");
                assertEquals(number(device, "ifindex"), found.index(), name);
                assertEquals(number(device, "mtu"), found.mtu(), name);
            } else {
                IOException down = assertThrows(IOException.class, () -> SystemInterface.find(name, ""), name);
                assertTrue(down.toString().contains(name + " is down"), down.toString());
            }
        }
    }

    @Test
    void noSuchDevice_isReportedWithTheRemedy() {
        IOException missing =
                assertThrows(IOException.class, () -> SystemInterface.find("no-such-device", "create it"));
        assertTrue(missing.toString().endsWith("in this network namespace: create it"), missing.toString());
    }
}
