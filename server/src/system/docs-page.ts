/** Nothing of it comes from outside: the reference works without a network. */
export const docsPage = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Gangway API</title>
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script>
      SwaggerUIBundle({
        url: '/openapi.json',
        dom_id: '#reference',
        docExpansion: 'none',
        deepLinking: true,
        displayRequestDuration: true,
        validatorUrl: null,
      })
    </script>
  </body>
</html>
`
