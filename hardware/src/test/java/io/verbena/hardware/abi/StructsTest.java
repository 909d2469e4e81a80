package io.verbena.hardware.abi;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The offsets that the provider uses: against a C compiler where one is installed, and against figures that one printed. The property
 * {@code io.verbena.rdma-core} names the source tree of another version of rdma-core, whose headers are taken instead of the installed ones.
 */
class StructsTest {

    private static final List<Path> HEADERS =
            List.of(Path.of("/usr/include/infiniband/verbs.h"), Path.of("/usr/include/rdma/rdma_cma.h"));
    private static final String SOURCES = System.getProperty("io.verbena.rdma-core", "");

    /** Where a source tree has the headers, and where programs look for them. */
    private static final List<Map.Entry<String, String>> PLACES = List.of(
            Map.entry("libibverbs", "infiniband"),
            Map.entry("librdmacm", "rdma"),
            Map.entry("kernel-headers/rdma", "rdma"),
            Map.entry("kernel-headers/rdma", "infiniband"));

    /** Size of ibv_port_attr before version 49 of rdma-core. */
    private static final int OLD_PORT_ATTR_BYTES = 52;

    /** Printed by a C compiler for the headers of rdma-core 44.0, 50.0, 56.0, 64.0 and 65.0, the same in all of them. */
    private static final Map<String, Integer> MEASURED = Map.ofEntries(
            Map.entry("ibv_context.async_fd", 268),
            Map.entry("ibv_device_attr.phys_port_cnt", 227),
            Map.entry("ibv_qp.qp_num", 52),
            Map.entry("ibv_qp_attr.ah_attr", 56),
            Map.entry("ibv_qp_attr.rnr_retry", 132),
            Map.entry("ibv_qp_init_attr.sq_sig_all", 56),
            Map.entry("ibv_send_wr.wr.atomic.rkey", 64),
            Map.entry("ibv_send_wr.bind_mw.bind_info.mw_access_flags", 120),
            Map.entry("ibv_wc.wc_flags", 36),
            Map.entry("ibv_mr.rkey", 40),
            Map.entry("rdma_cm_id.qp_type", 408),
            Map.entry("rdma_cm_event.param.ud.qkey", 76),
            Map.entry("rdma_conn_param.qp_num", 16));

    @Test
    void offsets_areThoseThatACompilerPrinted() {
        Map<String, Integer> ours = new TreeMap<>();
        Stream.concat(Structs.VERBS.stream(), Structs.CM.stream())
                .forEach(struct -> struct.members().forEach((name, at) -> ours.put(struct.name() + "." + name, at)));
        MEASURED.forEach((name, offset) -> assertEquals(offset, ours.get(name), name));
    }

    @Test
    void distances_ofThePointers_neverChange() {
        assertEquals(-320, ContextOp.QUERY_PORT.distance());
        assertEquals(-184, ContextOp.MODIFY_CQ.distance());
        assertEquals(208, ContextOp.POST_SEND.distance());
    }

    @Test
    void everyOffset_isThatOfTheInstalledHeaders(@TempDir Path folder) throws IOException, InterruptedException {
        assumeTrue(
                (HEADERS.stream().allMatch(Files::exists) || !SOURCES.isEmpty())
                        && Files.exists(Path.of("/usr/bin/gcc")),
                "needs gcc and the packages libibverbs-dev and librdmacm-dev");
        List<String> wanted = new ArrayList<>();
        List<String> lines = new ArrayList<>();
        Stream.concat(Structs.VERBS.stream(), Structs.CM.stream()).forEach(struct -> {
            lines.add("printf(\"%s %zu\\n\", \"" + struct.name() + "\", sizeof(struct " + struct.name() + "));");
            wanted.add(struct.name() + " " + struct.sizeBytes());
            struct.members().forEach((member, at) -> {
                lines.add("printf(\"%s %zu\\n\", \"" + struct.name() + "." + member + "\", offsetof(struct "
                        + struct.name() + ", " + member + "));");
                wanted.add(struct.name() + "." + member + " " + at);
            });
        });
        for (ContextOp op : List.of(ContextOp.QUERY_PORT, ContextOp.MODIFY_CQ)) {
            String member = op.name().toLowerCase(java.util.Locale.ROOT);
            lines.add("printf(\"%s %d\\n\", \"" + member + "\", (int) offsetof(struct verbs_context, " + member
                    + ") - (int) offsetof(struct verbs_context, context));");
            wanted.add(member + " " + op.distance());
        }
        List<String> printed = run(folder, lines);
        // The size of the header's version is smaller before 49; the provider gives the larger one to all versions.
        printed.replaceAll(line -> line.equals("ibv_port_attr " + OLD_PORT_ATTR_BYTES) ? "ibv_port_attr 56" : line);
        assertEquals(wanted, printed);
    }

    private static List<String> run(Path folder, List<String> lines) throws IOException, InterruptedException {
        Path source = folder.resolve("offsets.c");
        Path program = folder.resolve("offsets");
        Files.writeString(
                source,
                "#include <stddef.h>\n#include <stdio.h>\n#include <infiniband/verbs.h>\n#include <rdma/rdma_cma.h>\n"
                        + "int main(void) {\n" + String.join("\n", lines) + "\nreturn 0;\n}\n");
        List<String> messages =
                output(List.of("gcc", "-I", headers(folder).toString(), "-o", program.toString(), source.toString()));
        assertTrue(Files.exists(program), () -> String.join("\n", messages));
        return output(List.of(program.toString()));
    }

    /** A folder with the headers of the source tree; empty if there is none. */
    private static Path headers(Path folder) throws IOException {
        Path headers = folder.resolve("include");
        for (Map.Entry<String, String> place : SOURCES.isEmpty() ? List.<Map.Entry<String, String>>of() : PLACES) {
            Path to = Files.createDirectories(headers.resolve(place.getValue()));
            try (Stream<Path> files = Files.list(Path.of(SOURCES, place.getKey()))) {
                for (Path file :
                        files.filter(each -> each.toString().endsWith(".h")).toList()) {
                    Files.copy(file, to.resolve(file.getFileName()), StandardCopyOption.REPLACE_EXISTING);
                }
            }
        }
        return headers;
    }

    private static List<String> output(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        List<String> lines = new ArrayList<>(
                new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8)
                        .lines()
                        .toList());
        process.waitFor();
        return lines;
    }
}
