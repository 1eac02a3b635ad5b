package io.leasehold.gallery;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** Another JVM with the class path of this one. */
final class Jvm {
  private Jvm() {}

  /** What runs a class, after these options. */
  static ProcessBuilder running(String main, String... arguments) {
    return running(List.of(), main, arguments);
  }

  static ProcessBuilder running(List<String> options, String main, String... arguments) {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.addAll(List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx128m"));
    command.addAll(options);
    command.addAll(List.of("-cp", classPath(), main));
    command.addAll(List.of(arguments));
    return new ProcessBuilder(command);
  }

  /** Surefire keeps the real one in another property; the process runs in another folder. */
  private static String classPath() {
    String path =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    return Arrays.stream(path.split(File.pathSeparator, -1))
        .map(each -> Path.of(each).toAbsolutePath().toString())
        .collect(Collectors.joining(File.pathSeparator));
  }
}
