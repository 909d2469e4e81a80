package io.verbena.interop;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** Runs functions of the scripts with programs of its own before those of this machine. */
final class Shell {

    /** Of a script: its exit code and what it printed. */
    record Outcome(int code, String out, String err) {}

    private final Path folder;
    private final Path bin;

    Shell(Path folder) throws IOException {
        this.folder = folder;
        bin = Files.createDirectories(folder.resolve("bin"));
    }

    /** The project. */
    static Path root() {
        Path here = Path.of("").toAbsolutePath();
        return Files.isRegularFile(here.resolve("interop/run"))
                ? here
                : here.resolve("..").normalize();
    }

    void program(String name, String script) throws IOException {
        Path program = Files.writeString(bin.resolve(name), "#!/bin/bash\n" + script + "\n");
        assertTrue(program.toFile().setExecutable(true));
    }

    /** The script runs in the folder of the project. */
    Outcome run(String script, String input) throws IOException, InterruptedException {
        return run("bash", script, input);
    }

    Outcome run(String shell, String script, String input) throws IOException, InterruptedException {
        Path in = Files.writeString(folder.resolve("in"), input);
        Path out = folder.resolve("out");
        Path err = folder.resolve("err");
        ProcessBuilder builder = new ProcessBuilder(shell, "-c", "set -u; " + script)
                .directory(root().toFile())
                .redirectInput(in.toFile())
                .redirectOutput(out.toFile())
                .redirectError(err.toFile());
        builder.environment().put("LC_ALL", "C");
        builder.environment().merge("PATH", bin.toString(), (path, first) -> first + ":" + path);
        Process process = builder.start();
        assertTrue(process.waitFor(60, TimeUnit.SECONDS));
        return new Outcome(process.exitValue(), Files.readString(out), Files.readString(err));
    }
}
