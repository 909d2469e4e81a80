package io.verbena.tools.net;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.verbena.tools.CliRun;
import io.verbena.tools.base.Failure;
import io.verbena.tools.command.ExitCode;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NetCommandTest {

    @Test
    void up_dryRun_printsTheCommands() {
        try (CliRun run = CliRun.of("net", "up", "--dry-run")) {
            assertEquals(ExitCode.OK, run.code(), run.err());
            assertEquals(
                    List.of(
                            "+ ip tuntap add dev verbena0 mode tun",
                            "+ ip address add 10.77.0.1/24 dev verbena0",
                            "+ ip link set verbena0 mtu 1500 txqueuelen 10000 up"),
                    run.err().lines().toList());
        }
    }

    @Test
    void up_inANamespaceForAUser_printsTheCommands() {
        String[] arguments = {
            "net", "up", "v1", "--kind", "tap", "--user", "alice", "--namespace", "lab", "--mtu", "9000", "--dry-run"
        };
        try (CliRun run = CliRun.of(arguments)) {
            assertEquals(
                    List.of(
                            "+ ip netns add lab",
                            "+ ip -n lab tuntap add dev v1 mode tap user alice",
                            "+ ip -n lab address add 10.77.0.1/24 dev v1",
                            "+ ip -n lab link set v1 mtu 9000 txqueuelen 10000 up",
                            "+ ip -n lab link set lo up"),
                    run.err().lines().toList());
        }
    }

    @Test
    void up_json_namesTheAddressesAndOptions() {
        try (CliRun run = CliRun.of("net", "up", "v1", "--address", "10.9.0.7/28", "--dry-run", "--json")) {
            assertEquals(
                    "{\"ok\":true,\"device\":\"v1\",\"kind\":\"tun\",\"systemAddress\":\"10.9.0.7/28\","
                            + "\"rnicAddress\":\"10.9.0.8\",\"options\":\"--tcp tun --device v1\"}",
                    run.out().strip());
        }
    }

    @Test
    void down_dryRun_printsTheCommands() {
        try (CliRun run = CliRun.of("net", "down", "v1", "--namespace", "lab", "--dry-run")) {
            assertEquals(
                    List.of("+ ip -n lab link delete v1", "+ ip netns delete lab"),
                    run.err().lines().toList());
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "--kind=veth",
                "--mtu=100",
                "--address=10.0.0.1",
                "--address=10.0.0.254/24",
                "--address=10.0.0.1/31",
                "--address=10.0.0.256/24",
                "--address=x/24"
            })
    void up_wrongArguments_areRejected(String argument) {
        try (CliRun run = CliRun.of("net", "up", "--dry-run", argument)) {
            assertEquals(ExitCode.USAGE, run.code(), run.err());
            assertTrue(run.err().contains(argument.substring(0, argument.indexOf('='))), run.err());
        }
    }

    @Test
    void commandThatFails_isNamedWithItsOutput_andTheOthersDoNotRun() {
        List<String> shown = new ArrayList<>();
        DeviceCommands commands = new DeviceCommands(shown::add, false);
        Failure failure = assertThrows(
                Failure.class,
                () -> commands.run(
                        List.of(List.of("sh", "-c", "echo no such thing; exit 3"), List.of("sh", "-c", "exit 0"))));
        assertTrue(failure.toString().contains("failed with exit code 3: no such thing"), failure.toString());
        assertEquals(1, shown.size());
        assertThrows(Failure.class, () -> commands.run(List.of(List.of("no-such-program-at-all"))));
    }
}
