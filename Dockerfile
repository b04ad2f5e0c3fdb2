FROM python:3.11-slim

ENV PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 PALACE_HOME=/var/lib/palace PALACE_BIND=0.0.0.0
WORKDIR /srv/palace

RUN useradd --system --uid 10001 --home-dir /var/lib/palace --create-home palace

COPY requirements.txt ./
RUN python -m venv .venv \
    && .venv/bin/pip install --no-cache-dir --require-hashes --only-binary :all: -r requirements.txt

COPY llm ./llm
COPY memory/__init__.py ./memory/
COPY memory/text ./memory/text
COPY memory/mining/__init__.py ./memory/mining/
COPY memory/mining/reader ./memory/mining/reader
RUN .venv/bin/python -m llm.weights && .venv/bin/python -m memory.mining.reader.install

COPY . .
RUN mkdir /var/lib/palace/uploads \
    && SECRET_KEY=only-while-building-an-image-and-never-afterwards DATABASE_URL=postgresql://nobody@nowhere/none \
       REDIS_URL=redis://nowhere .venv/bin/python manage.py collectstatic --no-input --verbosity 0 \
    && chown -R palace:palace /var/lib/palace

USER palace
EXPOSE 8000
CMD [".venv/bin/python", "manage.py", "web"]
