<%@ page session="false" contentType="text/plain" trimDirectiveWhitespaces="true" %>
<%-- ?size=BYTES of output (400), after ?sleep=MILLISECONDS (0): a page that costs what it is told to. --%>
<%!
  private static int number(String text, int otherwise, int most) {
    return text == null ? otherwise : Math.max(0, Math.min(most, Integer.parseInt(text)));
  }
%>
<%
  int size = number(request.getParameter("size"), 400, 16 * 1024 * 1024);
  int sleep = number(request.getParameter("sleep"), 0, 60_000);
  if (sleep > 0) Thread.sleep(sleep);
  out.print("x".repeat(size));
%>
