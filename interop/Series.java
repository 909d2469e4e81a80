import io.verbena.tools.Verbena;
import io.verbena.tools.base.StopSignal;
import io.verbena.tools.command.Terminal;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Runs programs one after the other in one JVM, because the start of a JVM takes seconds in an emulated machine. Each line of standard
 * input is one of them: NAME [-Dname=value ...] CLASS ARGUMENTS... What it prints goes to the file NAME.log, and the exit code to NAME.rc.
 */
final class Series {

    private static final String COMMAND_LINE = Verbena.class.getName();

    private Series() {}

    public static void main(String[] arguments) throws IOException {
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            String[] words = line.strip().split("\\s+");
            int code;
            Path log = Path.of(words[0] + ".log");
            try (PrintStream out = new PrintStream(Files.newOutputStream(log), true, StandardCharsets.UTF_8)) {
                System.setOut(out);
                System.setErr(out);
                code = run(out, Arrays.copyOfRange(words, 1, words.length));
            }
            Path written = Files.writeString(Path.of(words[0] + ".new"), code + "\n");
            Files.move(written, Path.of(words[0] + ".rc"), StandardCopyOption.ATOMIC_MOVE);
        }
    }

    private static int run(PrintStream out, String[] words) {
        List<String> names = new ArrayList<>();
        int at = 0;
        for (; words[at].startsWith("-D"); at++) {
            String[] property = words[at].substring(2).split("=", 2);
            names.add(property[0]);
            System.setProperty(property[0], property[1]);
        }
        String[] rest = Arrays.copyOfRange(words, at + 1, words.length);
        try {
            if (words[at].equals(COMMAND_LINE)) {
                return Verbena.run(new Terminal(out, out, false, false), new StopSignal(), rest);
            }
            Method main = Class.forName(words[at]).getDeclaredMethod("main", String[].class);
            main.setAccessible(true);
            main.invoke(null, (Object) rest);
            return 0;
        } catch (InvocationTargetException e) {
            e.getCause().printStackTrace(out);
            return 1;
        } catch (ReflectiveOperationException | RuntimeException e) {
            e.printStackTrace(out);
            return 1;
        } finally {
            names.forEach(System::clearProperty);
        }
    }
}
