package io.verbena.tools.copy;

import io.verbena.files.CopyListener;
import io.verbena.text.AddressText;
import io.verbena.tools.command.Terminal;
import io.verbena.tools.text.Figures;
import io.verbena.tools.text.ProgressBar;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;

/** Shows a copy as a progress bar and a line for each event, on standard error. */
public final class CopyProgress implements CopyListener {

    private final Terminal terminal;
    private final long startNs = System.nanoTime();
    private ProgressBar bar = ProgressBar.hidden();

    /** Shows nothing until the copy begins. */
    public CopyProgress(Terminal terminal) {
        this.terminal = terminal;
    }

    @Override
    public void onBegin(Stage stage, long bytes) {
        String label = switch (stage) {
            case FETCH -> "Fetching";
            case STORE -> "Storing";
        };
        bar = new ProgressBar(terminal.err(), terminal.interactive(), label, bytes);
    }

    @Override
    public void onProgress(long doneBytes) {
        bar.updateBytes(doneBytes, startNs);
    }

    @Override
    public void onEnd() {
        bar.clear();
    }

    @Override
    public void onServerAbsent(SocketAddress server, Duration retryFor) {
        terminal.say("No server listens at " + AddressText.ofIp(server) + " yet; trying again for "
                + Figures.seconds(retryFor) + " (--retry-for).");
    }

    @Override
    public void onResume(Path part) {
        terminal.say("Continuing with '" + part + "', which an earlier run left.");
    }

    @Override
    public void onServerRestart() {
        terminal.say("The server was restarted; comparing checksums to find what it still has.");
    }

    @Override
    public void onListCut(int names) {
        terminal.say("The list is cut after " + Figures.count(names) + " names, the most that a server offers.");
    }
}
